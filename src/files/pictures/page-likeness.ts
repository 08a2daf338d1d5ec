/** A picture in shades of grey, a byte for each pixel. */
export interface GreyPicture {
  readonly pixels: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Blocks along the shorter side. Light may differ from block to block, as in photos of pages. */
const BLOCKS = 10;
/** Below this a block is not paper. */
const DARKEST_PAPER = 90;
const PAPER_BLOCKS = 0.4;
/** Relative to the paper of the block. */
const PAPER_FROM = 0.85;
const INK_TO = 0.75;
const PAPER_SHARE = { least: 0.7, most: 0.992 };
const INK_SHARE = { least: 0.005, most: 0.25 };
/** Lines of text: runs with ink, of similar heights. */
const LEAST_LINES = 8;
const LINE_INK = 0.04;
const LINE_PIXELS = { least: 2, most: 36 };
const ALIKE = 0.6;
/** The margins of a photo may show a table. */
const MARGIN = 0.15;

/**
 * Whether a picture looks like a page of text: paper, little ink, and many lines of one height. A
 * page may lie on its side. Photos, charts and drawings have other shares or no lines.
 */
export function looksLikePage(picture: GreyPicture): boolean {
  const { pixels, width, height } = picture;
  if (pixels.length < width * height || width * height === 0) return false;
  const marks = markPixels(picture);
  const counts = [0, 0, 0, 0];
  for (const mark of marks) counts[mark] = (counts[mark] ?? 0) + 1;
  const [other = 0, paper = 0, ink = 0, between = 0] = counts;
  const all = paper + ink + between;
  if (all < PAPER_BLOCKS * (all + other)) return false;
  if (paper < PAPER_SHARE.least * all || paper > PAPER_SHARE.most * all) return false;
  if (ink < INK_SHARE.least * all || ink > INK_SHARE.most * all) return false;
  const isInk = (x: number, y: number) => (marks[y * width + x] === INK ? 1 : 0);
  const rows = inkProfile(height, width, (along, across) => isInk(across, along));
  const columns = inkProfile(width, height, isInk);
  return hasLines(rows) || hasLines(columns);
}

const PAPER = 1;
const INK = 2;
const BETWEEN = 3;

/** What each pixel is, compared with the brightest parts of its block; 0 where there is no paper. */
function markPixels({ pixels, width, height }: GreyPicture): Uint8Array {
  const marks = new Uint8Array(width * height);
  const side = Math.max(8, Math.ceil(Math.min(width, height) / BLOCKS));
  for (let top = 0; top < height; top += side) {
    for (let left = 0; left < width; left += side) {
      const bottom = Math.min(height, top + side);
      const right = Math.min(width, left + side);
      const level = paperLevel(pixels, width, { top, left, bottom, right });
      if (level < DARKEST_PAPER) continue;
      for (let y = top; y < bottom; y += 1) {
        for (let x = left; x < right; x += 1) {
          const value = (pixels[y * width + x] ?? 0) / level;
          marks[y * width + x] = value >= PAPER_FROM ? PAPER : value <= INK_TO ? INK : BETWEEN;
        }
      }
    }
  }
  return marks;
}

interface Block {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** The brightness that a quarter of the pixels of a block exceed. */
function paperLevel(pixels: Uint8Array, width: number, block: Block): number {
  const { top, left, bottom, right } = block;
  const counts = new Uint32Array(256);
  for (let y = top; y < bottom; y += 1) {
    for (let x = left; x < right; x += 1) {
      const value = pixels[y * width + x] ?? 0;
      counts[value] = (counts[value] ?? 0) + 1;
    }
  }
  const quarter = ((bottom - top) * (right - left)) / 4;
  let brighter = 0;
  for (let value = 255; value > 0; value -= 1) {
    brighter += counts[value] ?? 0;
    if (brighter >= quarter) return value;
  }
  return 0;
}

/** The share of ink across the picture, for each step along it. */
function inkProfile(
  length: number,
  breadth: number,
  ink: (along: number, across: number) => number,
): readonly number[] {
  const first = Math.floor(breadth * MARGIN);
  const last = breadth - first;
  return Array.from({ length }, (_, along) => {
    let dark = 0;
    for (let across = first; across < last; across += 1) dark += ink(along, across);
    return dark / Math.max(1, last - first);
  });
}

/** Whether ink comes and goes in many runs of one size. */
function hasLines(profile: readonly number[]): boolean {
  const runs: number[] = [];
  let run = 0;
  for (const value of [...profile, 0]) {
    if (value > LINE_INK) run += 1;
    else if (run > 0) {
      runs.push(run);
      run = 0;
    }
  }
  if (runs.length < LEAST_LINES) return false;
  const usual = runs.toSorted((a, b) => a - b)[runs.length >> 1] ?? 0;
  const alike = runs.filter((each) => each >= usual * 0.5 && each <= usual * 2);
  const isLine = usual >= LINE_PIXELS.least && usual <= LINE_PIXELS.most;
  return isLine && alike.length >= runs.length * ALIKE;
}
