/** Passages whose vectors are stored together. */
export const PASSAGES_PER_VECTORS = 64;

/** The vectors of adjacent passages, quantised: value = scale × number. A passage may have several, or none. */
export interface PackedVectors {
  readonly size: number;
  /** Vectors of each passage. */
  readonly counts: Uint8Array;
  readonly scales: Float32Array;
  readonly numbers: Int8Array;
}

const MAX_NUMBER = 127;
const MAX_COUNT = 255;
const HEADER_BYTES = 4;

/** Packs the vectors of passages, as directions: their lengths do not matter. */
export function encodeVectors(
  passages: readonly (readonly Float32Array[])[],
): Uint8Array<ArrayBuffer> {
  const counts = passages.map((vectors) => Math.min(vectors.length, MAX_COUNT));
  const all = passages.flatMap((vectors) => vectors.slice(0, MAX_COUNT));
  const size = all[0]?.length ?? 0;
  const bytes = new Uint8Array(HEADER_BYTES + counts.length + all.length * (4 + size));
  const view = new DataView(bytes.buffer);
  view.setUint16(0, size, true);
  view.setUint16(2, counts.length, true);
  bytes.set(counts, HEADER_BYTES);
  const scalesAt = HEADER_BYTES + counts.length;
  const numbersAt = scalesAt + all.length * 4;
  for (const [at, vector] of all.entries()) {
    const length = Math.hypot(...vector) || 1;
    let largest = 0;
    for (const value of vector) largest = Math.max(largest, Math.abs(value));
    const scale = largest / MAX_NUMBER || 1;
    view.setFloat32(scalesAt + at * 4, scale / length, true);
    for (const [place, value] of vector.entries()) {
      view.setInt8(numbersAt + at * size + place, Math.round(value / scale));
    }
  }
  return bytes;
}

export function decodeVectors(bytes: Uint8Array): PackedVectors {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = view.getUint16(0, true);
  const passages = view.getUint16(2, true);
  const counts = bytes.slice(HEADER_BYTES, HEADER_BYTES + passages);
  const vectors = counts.reduce((sum, count) => sum + count, 0);
  const scalesAt = HEADER_BYTES + passages;
  const scales = Float32Array.from({ length: vectors }, (_, at) =>
    view.getFloat32(scalesAt + at * 4, true),
  );
  const numbers = new Int8Array(bytes.slice(scalesAt + vectors * 4).buffer);
  return { size, counts, scales, numbers };
}

/** The vectors of one passage, as they were packed. */
export function vectorsOf(packed: PackedVectors, passage: number): readonly Float32Array[] {
  const { size, counts, scales, numbers } = packed;
  let first = 0;
  for (let at = 0; at < passage; at += 1) first += counts[at] ?? 0;
  return Array.from({ length: counts[passage] ?? 0 }, (_, each) => {
    const from = (first + each) * size;
    const scale = scales[first + each] ?? 0;
    return Float32Array.from(numbers.subarray(from, from + size), (number) => number * scale);
  });
}
