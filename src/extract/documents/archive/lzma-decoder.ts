import { damaged } from '../document-errors.ts';

const PROBABILITY_BITS = 11;
const HALF = 1 << (PROBABILITY_BITS - 1);
const MOVE_BITS = 5;
const STATES = 12;
const TOP = 1 << 24;

/** Decodes bits whose probabilities adapt. */
class RangeDecoder {
  readonly #bytes: Uint8Array;
  #at = 5;
  #range = 0xffff_ffff;
  #code: number;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#code = 0;
    for (let at = 1; at < 5; at++) this.#code = ((this.#code << 8) | (bytes[at] ?? 0)) >>> 0;
  }

  get isPastEnd(): boolean {
    return this.#at > this.#bytes.length + 4;
  }

  bit(probabilities: Uint16Array, index: number): number {
    const probability = probabilities[index] ?? HALF;
    const bound = (this.#range >>> PROBABILITY_BITS) * probability;
    let bit = 0;
    if (this.#code < bound) {
      this.#range = bound;
      probabilities[index] = probability + (((1 << PROBABILITY_BITS) - probability) >> MOVE_BITS);
    } else {
      this.#range -= bound;
      this.#code -= bound;
      probabilities[index] = probability - (probability >> MOVE_BITS);
      bit = 1;
    }
    this.#normalize();
    return bit;
  }

  direct(count: number): number {
    let value = 0;
    for (let left = count; left > 0; left--) {
      this.#range >>>= 1;
      const bit = this.#code >= this.#range ? 1 : 0;
      if (bit === 1) this.#code -= this.#range;
      this.#normalize();
      value = value * 2 + bit;
    }
    return value;
  }

  tree(probabilities: Uint16Array, offset: number, bits: number): number {
    let node = 1;
    for (let left = bits; left > 0; left--)
      node = (node << 1) | this.bit(probabilities, offset + node);
    return node - (1 << bits);
  }

  reverseTree(probabilities: Uint16Array, offset: number, bits: number): number {
    let node = 1;
    let value = 0;
    for (let index = 0; index < bits; index++) {
      const bit = this.bit(probabilities, offset + node);
      node = (node << 1) | bit;
      value |= bit << index;
    }
    return value;
  }

  #normalize(): void {
    if (this.#range >= TOP) return;
    this.#range = (this.#range << 8) >>> 0;
    this.#code = ((this.#code << 8) | (this.#bytes[this.#at++] ?? 0)) >>> 0;
  }
}

class LengthDecoder {
  readonly #choice = probabilities(2);
  readonly #low = probabilities(16 << 3);
  readonly #middle = probabilities(16 << 3);
  readonly #high = probabilities(1 << 8);

  read(range: RangeDecoder, position: number): number {
    if (range.bit(this.#choice, 0) === 0) return range.tree(this.#low, position << 3, 3);
    if (range.bit(this.#choice, 1) === 0) return 8 + range.tree(this.#middle, position << 3, 3);
    return 16 + range.tree(this.#high, 0, 8);
  }
}

function probabilities(count: number): Uint16Array {
  return new Uint16Array(count).fill(HALF);
}

/** Unpacks LZMA data of a known size; `properties` are the five bytes that describe it. */
export function decodeLzma(packed: Uint8Array, properties: Uint8Array, size: number): Uint8Array {
  const first = properties[0] ?? 0;
  if (first >= 225) throw damaged('7z', 'its compression is not valid');
  const contextBits = first % 9;
  const positionBits = Math.floor(first / 9) % 5;
  const stateMask = (1 << Math.floor(first / 45)) - 1;
  const range = new RangeDecoder(packed);
  const literals = probabilities(0x300 << (contextBits + positionBits));
  const isMatch = probabilities(STATES << 4);
  const isRepeat = probabilities(STATES);
  const isRepeat0 = probabilities(STATES);
  const isRepeat0Long = probabilities(STATES << 4);
  const isRepeat1 = probabilities(STATES);
  const isRepeat2 = probabilities(STATES);
  const slots = probabilities(4 << 6);
  const specials = probabilities(128);
  const aligned = probabilities(16);
  const lengths = new LengthDecoder();
  const repeatLengths = new LengthDecoder();
  const out = new Uint8Array(size);
  const repeats = [0, 0, 0, 0];
  let state = 0;
  let at = 0;

  const literal = (): void => {
    const previous = at > 0 ? (out[at - 1] ?? 0) : 0;
    const low = at & ((1 << positionBits) - 1);
    const offset = 0x300 * ((low << contextBits) + (previous >> (8 - contextBits)));
    let symbol = 1;
    if (state >= 7) {
      let match = out[at - (repeats[0] ?? 0) - 1] ?? 0;
      while (symbol < 0x100) {
        const matchBit = (match >> 7) & 1;
        match <<= 1;
        const bit = range.bit(literals, offset + ((1 + matchBit) << 8) + symbol);
        symbol = (symbol << 1) | bit;
        if (matchBit !== bit) break;
      }
    }
    while (symbol < 0x100) symbol = (symbol << 1) | range.bit(literals, offset + symbol);
    out[at++] = symbol & 0xff;
    state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
  };

  const distance = (length: number): number => {
    const slot = range.tree(slots, Math.min(length, 3) << 6, 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const base = (2 | (slot & 1)) * 2 ** bits;
    if (slot < 14) return base + range.reverseTree(specials, base - slot, bits);
    return base + range.direct(bits - 4) * 16 + range.reverseTree(aligned, 0, 4);
  };

  while (at < size) {
    if (range.isPastEnd) throw damaged('7z', 'its compressed header is cut off');
    const position = at & stateMask;
    if (range.bit(isMatch, (state << 4) + position) === 0) {
      literal();
      continue;
    }
    let length: number;
    if (range.bit(isRepeat, state) === 0) {
      length = lengths.read(range, position);
      state = state < 7 ? 7 : 10;
      const next = distance(length);
      if (next === 0xffff_ffff) break;
      repeats.pop();
      repeats.unshift(next);
    } else {
      if (range.bit(isRepeat0, state) === 0) {
        if (range.bit(isRepeat0Long, (state << 4) + position) === 0) {
          state = state < 7 ? 9 : 11;
          out[at] = out[at - (repeats[0] ?? 0) - 1] ?? 0;
          at++;
          continue;
        }
      } else {
        const which = range.bit(isRepeat1, state) === 0 ? 1 : 2 + range.bit(isRepeat2, state);
        const [chosen = 0] = repeats.splice(which, 1);
        repeats.unshift(chosen);
      }
      length = repeatLengths.read(range, position);
      state = state < 7 ? 8 : 11;
    }
    const from = (repeats[0] ?? 0) + 1;
    if (from > at) throw damaged('7z', 'its compressed header is not valid');
    for (let left = length + 2; left > 0 && at < size; left--, at++) out[at] = out[at - from] ?? 0;
  }
  return out;
}
