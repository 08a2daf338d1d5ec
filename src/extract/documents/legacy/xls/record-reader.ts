import type { ByteView } from '../byte-view.ts';

/** Records that a workbook (BIFF) is made of. */
export const RECORD = {
  formula: 0x0006,
  endOfPart: 0x000a,
  header: 0x0014,
  footer: 0x0015,
  note: 0x001c,
  dateMode: 0x0022,
  password: 0x002f,
  continued: 0x003c,
  codePage: 0x0042,
  sheet: 0x0085,
  formulaOld3: 0x0206,
  formulaOld4: 0x0406,
  manyNumbers: 0x00bd,
  richLabel: 0x00d6,
  cellFormat: 0x00e0,
  cellFormatOld4: 0x0443,
  cellFormatOld3: 0x0243,
  cellFormatOld2: 0x0043,
  mergedCells: 0x00e5,
  sharedStrings: 0x00fc,
  sharedLabel: 0x00fd,
  textObject: 0x01b6,
  hyperlink: 0x01b8,
  number: 0x0203,
  label: 0x0204,
  boolOrError: 0x0205,
  formulaText: 0x0207,
  shortNumber: 0x027e,
  numberFormat: 0x041e,
  numberFormatOld: 0x001e,
  startOfPart: 0x0809,
  numberOld2: 0x0003,
  integerOld2: 0x0002,
  labelOld2: 0x0004,
  boolOrErrorOld2: 0x0005,
  formulaTextOld2: 0x0007,
} as const;

export interface BiffRecord {
  readonly type: number;
  readonly at: number;
  readonly body: ByteView;
}

/** The records from a byte on; a record that is cut off ends them. */
export function* readRecords(stream: ByteView, start: number): Generator<BiffRecord> {
  let at = start;
  while (at + 4 <= stream.length) {
    const type = stream.u16(at);
    const length = Math.min(stream.u16(at + 2), stream.length - at - 4);
    yield { type, at, body: stream.sub(at + 4, length) };
    at += 4 + length;
  }
}

/** BOF of any version: 0x0009, 0x0209, 0x0409 or 0x0809. */
export function isStartOfPart(type: number): boolean {
  return (type & 0xff) === 0x09 && type <= 0x0809 && (type & 0x0100) === 0;
}
