# Draws the logo and the icons of the site: a matrix with few rows that are not
# zero, in a hexagon.
#   Rscript tools/logo.R

ink <- "#1b3a57"
paper <- "#fbfaf7"
empty <- "#dfe5ea"
# entries of the two rows that are kept, from negative to positive
scale <- c("#8c4a10", "#d98a3d", "#f3d3ac", "#a9d0d8", "#3b93a5", "#12566a")
kept <- list(`2` = c(6, 1, 4, 2), `5` = c(2, 5, 3, 6))

hexagon <- function(radius) {
  angles <- pi / 6 + pi / 3 * 0:5
  list(x = radius * cos(angles), y = radius * sin(angles))
}

entry <- function(row, column, colour, size, step, top) {
  x <- (column - 2.5) * step
  y <- top - (row - 1) * step
  graphics::rect(x - size / 2, y - size / 2, x + size / 2, y + size / 2, col = colour, border = NA)
}

matrix_of <- function(step, top) {
  for (row in 1:6) {
    shades <- kept[[as.character(row)]]
    colours <- if (is.null(shades)) rep(empty, 4) else scale[shades]
    for (column in 1:4) entry(row, column, colours[column], 0.84 * step, step, top)
  }
}

canvas <- function() {
  graphics::par(mar = c(0, 0, 0, 0), bg = NA)
  graphics::plot(NA, xlim = c(-1, 1), ylim = c(-1, 1), asp = 1, axes = FALSE, ann = FALSE,
    xaxs = "i", yaxs = "i"
  )
}

logo <- function() {
  canvas()
  graphics::polygon(hexagon(0.99), col = ink, border = NA)
  graphics::polygon(hexagon(0.93), col = paper, border = NA)
  matrix_of(step = 0.185, top = 0.64)
  graphics::text(0, -0.51, "rowsparse", col = ink, font = 2, cex = 1.35)
}

# without the name, which would be too small to read
icon <- function() {
  canvas()
  graphics::rect(-1, -1, 1, 1, col = ink, border = NA)
  graphics::rect(-0.9, -0.9, 0.9, 0.9, col = paper, border = NA)
  matrix_of(step = 0.29, top = 0.725)
}

bitmap <- function(file, size, draw, resolution = 72) {
  grDevices::png(file, size, size, res = resolution, bg = "transparent", type = "cairo")
  on.exit(grDevices::dev.off())
  draw()
}

vector <- function(file, draw) {
  grDevices::svg(file, 2.2, 2.2, bg = "transparent")
  on.exit(grDevices::dev.off())
  draw()
}

# An .ico file of one picture: a header of 22 bytes before the PNG.
as_ico <- function(png, ico, size) {
  bytes <- readBin(png, "raw", file.size(png))
  out <- file(ico, "wb")
  on.exit(close(out))
  writeBin(c(0L, 1L, 1L), out, size = 2, endian = "little")
  writeBin(as.raw(c(size, size, 0, 0)), out)
  writeBin(c(1L, 32L), out, size = 2, endian = "little")
  writeBin(c(length(bytes), 22L), out, size = 4, endian = "little")
  writeBin(bytes, out)
}

figures <- file.path("man", "figures")
icons <- file.path("pkgdown", "favicon")
for (folder in c(figures, icons)) dir.create(folder, recursive = TRUE, showWarnings = FALSE)

vector(file.path(figures, "logo.svg"), logo)
bitmap(file.path(figures, "logo.png"), 240, logo, resolution = 109)
vector(file.path(icons, "favicon.svg"), icon)
bitmap(file.path(icons, "favicon-32x32.png"), 32, icon)
bitmap(file.path(icons, "apple-touch-icon.png"), 180, icon)
as_ico(file.path(icons, "favicon-32x32.png"), file.path(icons, "favicon.ico"), 32L)
