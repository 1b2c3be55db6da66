"""Do the tests notice what changes the code? Draws small changes of R and C, by folder in proportion to
its lines, builds each, and runs the tests that reach its line, those that take least first:

    python3 tools/mutants.py [number] [seed] [part of a path]

200 by default, with the hash of the commit as the seed; what does not compile is drawn again. Alive is
what no test notices. What gives the same machine code, or changes no result for the reason that
tools/mutants-equal.csv tells, is equal and does not count. JOBS processes; a test that takes ten times
as long as usual and a minute has noticed.
"""
import collections, concurrent.futures, csv, glob, os, queue, random, re, select, shutil, signal, subprocess
import sys, threading

HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORK = HOME + "/build/mutants"
JOBS = int(os.environ.get("JOBS", "1"))
os.chdir(HOME)

# ---- changes of a line ----------------------------------------------------------------

SIGNS = {"+": "-", "-": "+", "*": "/", "/": "*", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "<": "<= > >=",
         ">": ">= < <=", "<=": "< >", ">=": "> <", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "&": "|",
         "|": "&"}
TWINS = ["fmin fmax", "rs_min_int rs_max_int", "min max", "pmin pmax", "which.min which.max", "any all", "head tail",
         "TRUE FALSE", "nrow ncol", "rowSums colSums", "rowMeans colMeans", "floor ceil", "floor ceiling",
         "union intersect", "crossprod tcrossprod"]
# what no test can see: requests of memory, states that cannot be, interrupts, protection
UNSEEN = re.compile(r"alloc|ALLOC|arena|ARENA|bytes|_poll|interrupted|RS_BAD_INPUT|RS_UNSOUND|PROTECT|on\.exit|"
                    r"R_CheckUser|_end\(|verbose|r_expect|r_refuse|check_memory")
SAYS = re.compile(r"\b(?:(\w+_rowsparse|stop|warning|message|r_error)|refuse_if|check_\w+)\(")
ANY_ORDER = re.compile(r"\w*dot|R_[A-Z_]+|RS_ALLOC_DOUBLES|hypot|range|f?min|f?max|p?min|p?max|c|identical|union|"
                       r"intersect|list|function")
Mutant = collections.namedtuple("Mutant", "file line before after")


def closed(text, at):
    """behind the parenthesis that closes the one before `at`"""
    depth = 1
    while depth and at < len(text):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return at


def without_words(text, is_c):
    """comments, strings and what conditions say as NULs"""
    hide = lambda part: re.sub(r"[^\n]", "\x00", part)
    words = r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|' + (
        r"/\*.*?\*/|//[^\n]*|^#(?:[^\n]*\\\n)*[^\n]*" if is_c else r"#[^\n]*|`[^`]*`")
    text = re.sub(words, lambda found: hide(found.group()), text, flags=re.S | re.M)
    if not is_c: # of what type the results are
        text = re.sub(r"((?:vapply\(.*|^ *\}), )(?:0L?|NA)(?=\))", lambda found: found.group(1) + "\x00" *
                      (len(found.group()) - len(found.group(1))), text, flags=re.M)
    for call in list(SAYS.finditer(text)):
        start, end = call.end(), closed(text, call.end())
        if not call.group(1): # what is refused comes before the words
            start = (text.find("\x00", start, end) + 1 or end + 1) - 1
        text = text[:start] + hide(text[start:end]) + text[end:]
    return text


def changes(raw, line, earlier, after, is_c):
    """(kind, start, end, instead) of a line, without words in `line`; those around tell what is a statement"""
    def each(kind, pattern, *instead):
        for found in re.finditer(pattern, line):
            for other in instead:
                other = other(found) if callable(other) else other
                if other is not None:
                    yield kind, found.start(), found.end(), other

    def negated(found):
        start, end = found.start() + 4, closed(line, found.start() + 4)
        return f"if (!({raw[start:end - 1]})){raw[end:]}" if line[end - 1] == ")" else None

    for sign, others in SIGNS.items():
        yield from each(sign, f"(?<= ){re.escape(sign)}(?= )", *others.split())
    for one, other in (pair for twins in TWINS for pair in (twins.split(), twins.split()[::-1])):
        yield from each("twin", rf"(?<![\w.$]){re.escape(one)}(?![\w.])", other)
    yield from each("count", r"(?<![\w.\x00])(?<!e[-+])\d+(?=L?(?![\w.\x00]))", lambda found: str(int(found.group()) + 1),
                    lambda found: str(abs(int(found.group()) - 1)))
    yield from each("number", r"(?<![\w.\x00])\d*\.\d+(?![\w.])", lambda found: repr(2 * float(found.group()) or 1.0),
                    lambda found: repr(float(found.group()) / 2))
    yield from each("not", r"\bif \(.*", negated)
    yield from each("not", r"!(?!=)", "")
    yield from each("not", r"\bis\.(null|na)\(", lambda found: "!" + found.group())
    yield from each("loop", r"\bseq_(len|along)\(\w+\)", lambda found: found.group() + "[-1L]")
    for found in re.finditer(r"(\w+)\(([^()=\x00]*)\)", line):
        parts = found.group(2).split(", ")
        for i in range(len(parts) - 1):
            if not ANY_ORDER.fullmatch(found.group(1)) and re.match(r"[&*-]?[a-z].*, [&*-]?[a-z]", ", ".join(parts[i:i + 2])):
                yield "swap", found.start(2), found.end(2), ", ".join(parts[:i] + [parts[i + 1], parts[i]] + parts[i + 2:])
    code = line.strip("\x00 ")
    begin = line.find(code)
    whole = code.count("(") == code.count(")") and (
        code.endswith(";") and re.search(r"[;{})]\x00* *\x00*$", earlier[-1]) if is_c else
        re.search(r"[\w)\]}]$", code) and not re.search(r"([-(,+*/|&=]|%|<-)$", earlier[-1].strip("\x00 "))
        and not re.match(r" *(else|[-+*/|&)])", after) and code.count("{") == code.count("}"))
    if not whole:
        return
    found = re.match(r"(return |[^=(]* (?:=|<-) )(.*(?:" + (r"[-+*/(\[]" if is_c else " [-+*/] ") + r").*?);?$", code)
    if found and not re.search(r"[<>&|]|==|!|function|status|, \w+ = ", found.group(2)):
        yield "sign", begin + found.start(2), begin + found.end(2), f"-({raw[begin + found.start(2):begin + found.end(2)]})"
    jump = code.rstrip(";") in ("break", "continue", "next")
    call = re.match(r"(?!return|if|for|while|switch|function)(RS_TRY\()?[a-z][\w.]*\(|[*\w.>-]+(\+\+|--);", code)
    value = re.match(r"[*(]*([\w.]+)[^=(]*? ?(?:[-+*/]?=|<<?-) ", code)
    # to miss a variable that has no value yet is no art
    value = value and re.search(rf"\b{re.escape(value.group(1).split('.')[0])}\b", "\n".join(earlier))
    if jump or call or value:
        yield "dropped", begin, begin + len(code), ";" if is_c else "NULL"


def mutants_of(file):
    """for each line that can be changed its mutants by kind"""
    is_c = file.endswith(".c")
    text = open(file).read()
    lines, masked = text.split("\n"), without_words(text, is_c).split("\n")
    inside, top, by_line = not is_c, 0, []
    for i, line in enumerate(masked):
        inside = not is_c or (inside or line == "{") and line != "}"
        if line == "}" or not is_c and re.match(r"[\w.]", line):
            top = i
        after = masked[i + 1] if i + 1 < len(masked) else ""
        if not inside or UNSEEN.search(line + (after if is_c and line.rstrip().endswith(")") else "")):
            continue
        earlier = [x for x in masked[top:i] if x.strip("\x00 ")] or ["{"]
        kinds = collections.defaultdict(list)
        for kind, start, end, instead in changes(lines[i], line, earlier, after, is_c):
            changed = lines[i][:start] + instead + lines[i][end:]
            if changed != lines[i] and ("sizeof" not in line or kind == "dropped"):
                kinds[kind].append(Mutant(file, i + 1, lines[i], changed))
        by_line += [kinds] if kinds else []
    return by_line


def drawn(number, seed, part):
    """for each folder its number and a generator of mutants"""
    folders = collections.defaultdict(list)
    for file in sorted(glob.glob("R/*.R") + glob.glob("src/*/**/*.c", recursive=True)):
        if part in file and not re.search("testing|memory[.]R", file):
            folders[os.path.dirname(file)] += mutants_of(file)
    lines = sum(map(len, folders.values()))
    exact = {folder: number * len(found) / lines for folder, found in folders.items()}
    count = {folder: int(share) for folder, share in exact.items()}
    for folder in sorted(exact, key=lambda folder: count[folder] - exact[folder])[:number - sum(count.values())]:
        count[folder] += 1

    def endless(folder):
        chance, seen = random.Random(f"{seed} {folder}"), set()
        for _ in range(100 * number):
            kinds = chance.choice(folders[folder])
            mutant = chance.choice(kinds[chance.choice(sorted(kinds))])
            if mutant not in seen:
                seen.add(mutant)
                yield mutant
    return [(count[folder], endless(folder)) for folder in sorted(count)]


# ---- tests that reach a line -------------------------------------------------------------

class Reach:
    """what `make coverage` keeps"""

    def __init__(self):
        csv.field_size_limit(1 << 30)
        self.spans = collections.defaultdict(list) # file: (first, last, point)
        with open("coverage/points.csv") as file:
            for row in csv.DictReader(file):
                self.spans[row["file"]].append((int(row["first"]), int(row["last"]), row["point"]))
        self.tests = collections.defaultdict(set) # by point
        self.seconds, self.sound = {}, set() # by test; tests seen to pass without a mutant
        with open("coverage/tests.csv") as file:
            for row in csv.DictReader(file):
                if row["outcome"] == "passed":
                    self.seconds[row["test"]] = float(row["seconds"])
                    for point in row["points"].split():
                        self.tests[point].add(row["test"])

    def reaching(self, mutant):
        """tests that reach the innermost statement with this line, or the code before it"""
        points = self.points(mutant.file, mutant.line) or self.points_of_definition(mutant.file, mutant.line)
        return self.seconds.keys() & set().union(*(self.tests[point] for point in points))

    def points(self, file, line):
        over = [s for s in self.spans[file] if s[0] <= line and (s[1] >= line or file.endswith(".c"))]
        first = max((s[0] for s in over), default=0)
        return [s[2] for s in over if s[0] == first]

    def points_of_definition(self, file, line):
        """of R, outside of all statements: those of the function, or where the constant is named"""
        lines = open(file).read().split("\n")
        starts = [i + 1 for i, text in enumerate(lines) if re.match(r"[\w.`]", text)] + [len(lines) + 1]
        begin = max(i for i in starts if i <= line)
        end = min(i for i in starts if i > line)
        inside = [s[2] for s in self.spans[file] if begin <= s[0] < end]
        name = re.compile(rf"(?<![\w.]){re.escape(re.match('[^ ]+', lines[begin - 1]).group())}(?![\w.])")
        return inside or [point for other in glob.glob("R/*.R") for i, text in enumerate(open(other))
                          if name.search(text) for point in self.points(other, i + 1)]


# ---- builds and runs -----------------------------------------------------------------------

def shell(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


def install():
    """the package in WORK; by object, and library, the command that makes it"""
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK + "/library")
    for part in ["R", "src", "inst"]:
        shutil.copytree(part, f"{WORK}/package/{part}", ignore=shutil.ignore_patterns("*.o", "*.so"))
    for part in ["DESCRIPTION", "NAMESPACE", "LICENSE"]:
        shutil.copy(part, WORK + "/package")
    with open(WORK + "/Makevars", "w") as file:
        file.write("CFLAGS = -O2 -Werror=incompatible-pointer-types -Werror=int-conversion\n")
    done = shell(["R", "CMD", "INSTALL", "--no-docs", "--no-test-load", "--library=library", "package"], cwd=WORK,
                 env={**os.environ, "R_MAKEVARS_USER": WORK + "/Makevars", "MAKEFLAGS": f"-j{JOBS}"})
    assert done.returncode == 0, done.stdout
    return {made.group(1): made.group() for made in re.finditer(r"^.* -o (\S+\.s?o)\b.*$", done.stdout, re.M)}


class Worker:
    """a copy of the sources and of the package that is installed, and a process that runs tests"""

    def __init__(self, name, commands):
        self.folder, self.commands, self.changed, self.rest = f"{WORK}/{name}", commands, {}, b""
        for part in ["package", "library"]:
            shutil.copytree(f"{WORK}/{part}", f"{self.folder}/{part}")
        self.server = subprocess.Popen(["Rscript", "tools/coverage.R", "serve"], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=open(self.folder + "/stderr", "w"))

    def build(self, mutant):
        """whether it can be built, None if the machine code is the same"""
        package, made = self.folder + "/package/", mutant.file[4:-2] + ".o"
        path, made_path = package + mutant.file, f"{package}src/{made}"
        library = self.folder + "/library/rowsparse/libs/rowsparse.so"
        is_c = path.endswith(".c")
        self.changed = {at: open(at, "rb").read() for at in [path] + [made_path, library] * is_c}
        lines = self.changed[path].decode().split("\n")
        lines[mutant.line - 1] = mutant.after
        with open(path, "w") as file:
            file.write("\n".join(lines))
        if not is_c:
            return shell(["Rscript", "-e", f"invisible(parse('{path}'))"]).returncode == 0
        if shell(self.commands[made], shell=True, cwd=package + "src").returncode != 0:
            return False
        if open(made_path, "rb").read() == self.changed[made_path]:
            return None
        shell(self.commands["rowsparse.so"], shell=True, cwd=package + "src", check=True)
        shutil.copy(package + "src/rowsparse.so", library)
        return True

    def restore(self):
        for path, content in self.changed.items():
            with open(path, "wb") as file:
                file.write(content)

    def told(self, limit):
        """number of a test and what the server says of it; None after so many seconds, or at its end"""
        while True:
            line, end, rest = self.rest.partition(b"\n")
            if not end:
                ready = select.select([self.server.stdout], [], [], limit)[0]
                more = os.read(self.server.stdout.fileno(), 1 << 16) if ready else b""
                if not more:
                    return None
                self.rest += more
                continue
            self.rest = rest
            if line.startswith(b" test "):
                number, *words = line.decode().split()[1:]
                return int(number), *words

    def failing(self, folder, tests, usual):
        """the first test that fails with the package of the folder, or None"""
        with open(self.folder + "/tests", "w") as file:
            file.write("".join(test + "\n" for test in tests))
        self.server.stdin.write(f"{folder}\t{self.folder}/tests\n".encode())
        self.server.stdin.flush()
        at, ended, child = 0, 0, int(self.told(600)[2])
        while True:
            number, what = self.told(60 + 10 * usual.get(tests[at], 0)) or (at + 1, "is late")
            if what == "over":
                return tests[at] if ended < len(tests) else None # a crash, if some has not ended
            at = number - 1
            ended += what == "ends"
            if what in ("fails", "is late"):
                os.kill(child, signal.SIGKILL)
                while self.told(None)[1] != "over":
                    pass
                return tests[at]

    def noticed(self, mutant, reach):
        """the test that fails with the mutant and not without it, or None"""
        while True:
            own = "test-" + os.path.basename(mutant.file).split(".")[0] + ".R:" # the likeliest first
            tests = sorted(reach.reaching(mutant), key=lambda test: (not test.startswith(own), reach.seconds[test]))
            test = self.failing(self.folder, tests, reach.seconds) if tests else None
            if not test or test in reach.sound or not self.failing(WORK, [test], reach.seconds):
                reach.sound.add(test)
                return test
            reach.seconds.pop(test, None) # it fails in any case


# ---- the course of all -----------------------------------------------------------------------

def main(number="200", seed="", part=""):
    commit = shell(["git", "rev-parse", "HEAD"]).stdout.strip()
    if not os.path.exists("coverage/commit") or open("coverage/commit").read().strip() != commit:
        subprocess.run(["make", f"JOBS={JOBS}", "coverage"], check=True)
    reach, commands = Reach(), install()
    with open("tools/mutants-equal.csv") as file:
        equal = {(row["file"], row["line"], row["instead"]) for row in csv.DictReader(file)}
    free, lock = queue.SimpleQueue(), threading.Lock()
    for at in range(JOBS):
        free.put(Worker(f"worker{at}", commands))

    def examine(mutants):
        """one of them that can be built: what becomes of it"""
        built, worker = False, free.get()
        while built is False:
            with lock:
                mutant = next(mutants)
            change = (mutant.before.strip(), mutant.after.strip())
            built, test = None, None
            if (mutant.file, *change) not in equal:
                built = worker.build(mutant)
                test = built and worker.noticed(mutant, reach)
                worker.restore()
        free.put(worker)
        outcome = "killed" if test else "alive" if built else "equal"
        text = f"{mutant.file}:{mutant.line}\n  - {change[0]}\n  + {change[1]}"
        print(f"{outcome:6}  {test or ''}  {text}", flush=True)
        return outcome, text

    tasks = [mutants for count, mutants in drawn(int(number), seed or commit, part) for _ in range(count)]
    with concurrent.futures.ThreadPoolExecutor(JOBS) as threads:
        results = list(threads.map(examine, tasks))
    while not free.empty():
        free.get().server.stdin.close()
    print("Alive:", *(text for outcome, text in results if outcome == "alive"), sep="\n")
    count = collections.Counter(outcome for outcome, text in results)
    share = 100 * count["killed"] / max(1, count["killed"] + count["alive"])
    print(f"{len(results)} drawn, {count['killed']} killed, {count['alive']} alive, {count['equal']} equal; "
          f"{share:.1f}% killed of those that change anything")
    return int(share < 90)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
