import type { ByteView } from '../byte-view.ts';

const ERRORS: Readonly<Record<number, string>> = {
  0x00: '#NULL!',
  0x07: '#DIV/0!',
  0x0f: '#VALUE!',
  0x17: '#REF!',
  0x1d: '#NAME?',
  0x24: '#NUM!',
  0x2a: '#N/A',
};

export function formatBoolOrError(value: number, kind: 'bool' | 'error'): string {
  if (kind === 'error') return ERRORS[value] ?? '#ERROR';
  return value === 0 ? 'FALSE' : 'TRUE';
}

/** A number in four bytes (RK): an integer or the upper half of a float, perhaps times 100. */
export function readShortNumber(body: ByteView, at: number): number {
  const stored = body.i32(at);
  const value = (stored & 2) === 0 ? upperHalf(stored & ~3) : stored >> 2;
  return (stored & 1) === 0 ? value : value / 100;
}

const scratch = new DataView(new ArrayBuffer(8));

function upperHalf(bits: number): number {
  scratch.setInt32(0, bits);
  scratch.setInt32(4, 0);
  return scratch.getFloat64(0);
}

/** The stored result of a formula; `text` follows in the next record. */
export type FormulaResult =
  | { readonly is: 'number'; readonly value: number }
  | { readonly is: 'shown'; readonly text: string }
  | { readonly is: 'text' };

export function readFormulaResult(body: ByteView, at: number): FormulaResult {
  if (body.u16(at + 6) !== 0xffff) return { is: 'number', value: body.f64(at) };
  switch (body.u8(at)) {
    case 0:
      return { is: 'text' };
    case 1:
      return { is: 'shown', text: formatBoolOrError(body.u8(at + 2), 'bool') };
    case 2:
      return { is: 'shown', text: formatBoolOrError(body.u8(at + 2), 'error') };
    default:
      return { is: 'shown', text: '' };
  }
}
