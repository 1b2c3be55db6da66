# What a developer does with rowsparse. `make demo` and `make test` work on a
# machine that has no more than R and a C compiler; see CONTRIBUTING.md.

R ?= R
RSCRIPT ?= Rscript

VERSION := $(shell sed -n 's/^Version: //p' DESCRIPTION)
TARBALL := build/rowsparse_$(VERSION).tar.gz
only = $(if $(FILTER),'$(FILTER)')
JOBS := $(shell nproc 2>/dev/null || echo 1)
# compiles in what only the tests call, see src/Makevars; tools/check.sh does without
export ROWSPARSE_TESTING := 1

# Settings of the hostile calls.
fuzzing = SEED=$(or $(SEED),1) CALLS=$(or $(CALLS),2000) CALL=$(CALL) JOBS=$(JOBS) \
	OPENBLAS_NUM_THREADS=1

# Where a package built for a purpose is installed: build/<purpose>.
installed = R_LIBS="$(CURDIR)/build/$(1):$$R_LIBS"
install = mkdir -p build/$(1) && MAKEFLAGS=-j$(JOBS) $(R) CMD INSTALL --no-docs \
	--no-test-load --clean --library=build/$(1) $(TARBALL) >build/$(1).log 2>&1 \
	|| { cat build/$(1).log; exit 1; }

.PHONY: demo test test-bare test-ecosystem check check-minimal check-newest coverage mutants \
	sanitize valgrind gctorture fuzz fuzz-sanitize lint docs bench spelling readme precomputed site logo \
	release map calls library tarball clean

# Selects from a table and draws how good it is, demo-plot.png.
demo: library
	@$(RSCRIPT) tools/install.R demo
	@$(call installed,library) $(RSCRIPT) tools/demo.R demo-plot.png

# FILTER=bsufs runs only the files test-*bsufs*.R; SUITE=core, slow or published what tools/test.R
# says of it; JOBS=1 one file after the other.
test: library
	@$(RSCRIPT) tools/install.R test
	@$(call installed,library) JOBS=$(JOBS) $(RSCRIPT) tools/test.R $(only)

# With testthat and Matrix, and no other package in sight.
test-bare: tarball
	@$(RSCRIPT) tools/install.R test-bare
	@bash tools/bare.sh $(TARBALL) $(only)

# tidymodels and mlr3, installed once in build/ecosystem, and what works with them.
test-ecosystem: library
	@mkdir -p build/ecosystem
	@$(call installed,ecosystem) $(RSCRIPT) tools/install.R ecosystem
	@R_LIBS="$(CURDIR)/build/library:$(CURDIR)/build/ecosystem:$$R_LIBS" \
		$(RSCRIPT) tools/test.R '$(or $(FILTER),tidy|recipes|mlr3)'

check:
	@$(RSCRIPT) tools/install.R check
	@bash tools/check.sh

# With no suggested package but testthat in sight.
check-minimal:
	@$(RSCRIPT) tools/install.R check-minimal
	@_R_CHECK_FORCE_SUGGESTS_=false _R_CHECK_DEPENDS_ONLY_=true \
		bash tools/check.sh --ignore-vignettes

# Under R, compilers and packages of Debian's newest suite, in a chroot: needs root.
check-newest:
	@bash tools/check-newest.sh

coverage:
	@$(RSCRIPT) tools/install.R coverage
	@JOBS=$(JOBS) $(RSCRIPT) tools/coverage.R

# Do the tests notice changes of the code? NUMBER of them drawn with SEED; FILTER=src/proof in some files.
mutants:
	@JOBS=$(JOBS) python3 tools/mutants.py $(or $(NUMBER),200) '$(SEED)' $(only)

sanitize: tarball
	@$(RSCRIPT) tools/install.R test
	@bash tools/sanitize.sh $(TARBALL) tests $(only)

# Repeats calls of every entry point; SCOPE=tests runs the test suite, or the
# files that FILTER names.
valgrind: $(if $(filter tests,$(SCOPE)),tarball,calls)
	@$(RSCRIPT) tools/install.R valgrind
	@bash tools/valgrind.sh $(TARBALL) $(or $(SCOPE),calls) $(only)

gctorture: calls
	@$(call installed,library) $(RSCRIPT) tools/replay-calls.R torture

# Hostile calls of everything exported or registered. CALLS of them, generated
# from SEED; CALL=1234 prints and runs that one.
fuzz: library
	@$(RSCRIPT) tools/install.R fuzz
	@$(call installed,library) $(fuzzing) $(RSCRIPT) tools/fuzz/campaign.R

fuzz-sanitize: tarball
	@$(RSCRIPT) tools/install.R fuzz
	@$(fuzzing) bash tools/sanitize.sh $(TARBALL) fuzz

lint:
	@$(RSCRIPT) tools/install.R lint
	@$(RSCRIPT) tools/lint-budgets.R
	@$(RSCRIPT) tools/lint-tiers.R
	@$(RSCRIPT) tools/lint-calls.R
	@$(RSCRIPT) tools/lint-lists.R
	@$(RSCRIPT) tools/lint-project.R
	@$(RSCRIPT) tools/precomputed.R lint
	@$(RSCRIPT) tools/lint.R $(only)

docs: library
	@$(RSCRIPT) tools/install.R docs
	@$(call installed,library) $(RSCRIPT) -e 'roxygen2::roxygenise(load_code = "installed")'

# METHOD=checked runs only bench/checked.R; METHOD=comparison DATA=folder compares all methods on
# the data sets of a folder, see the top of bench/comparison.R.
bench: library
	@$(call installed,library) bash tools/bench.sh $(METHOD) $(if $(DATA),'DATA=$(DATA)')

spelling:
	@$(RSCRIPT) tools/install.R spelling
	@$(RSCRIPT) tools/spelling.R

# The output and the figure of README.md.
readme: library
	@$(RSCRIPT) tools/install.R demo
	@mkdir -p man/figures
	@$(call installed,library) $(RSCRIPT) tools/demo.R man/figures/demo.png
	@! command -v pngquant >/dev/null || pngquant --force --ext .png 128 man/figures/demo.png
	@$(call installed,library) $(RSCRIPT) tools/readme.R

# What the vignettes show and do not compute: all of it, or NAME=shapes. Says what changed.
precomputed: library
	@R_LIBS="$(CURDIR)/build/library:$(CURDIR)/build/ecosystem:$$R_LIBS" \
		$(RSCRIPT) tools/precomputed.R $(NAME)

# The site, into build/site; PART=home builds one part of it anew.
site: library
	@$(RSCRIPT) tools/install.R site
	@$(call installed,library) $(RSCRIPT) tools/site.R $(PART)

# The logo and the icons of the site.
logo:
	@$(RSCRIPT) tools/logo.R

# All that is examined before a release: many hours. PART=valgrind runs one part of it;
# docs/release.md says of each when it last ran, and what came out.
release:
	@bash tools/release.sh $(PART)

# What every file is for, by its first comment; FILTER=css of some.
map:
	@$(RSCRIPT) tools/map.R $(only)

# Calls of the C code, kept while the tests run.
calls: library
	@$(RSCRIPT) tools/install.R test
	@$(call installed,library) $(RSCRIPT) tools/record-calls.R $(only)

# Always from a tarball, so that no stale object file is ever linked.
tarball:
	@mkdir -p build
	@cd build && $(R) CMD build --no-build-vignettes .. >build.log 2>&1 \
		|| { cat build.log; exit 1; }

library: tarball
	@$(RSCRIPT) tools/install.R run
	@$(call install,library)

clean:
	rm -rf build coverage demo-plot.png src/*.o src/*/*.o src/*.so
