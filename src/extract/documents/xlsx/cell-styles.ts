import {
  builtInFormat,
  compileNumberFormat,
  plainNumber,
  type DateSystem,
} from '../ooxml/number-format.ts';
import type { XmlElement } from '../xml/xml-node.ts';

/** Writes the number of a cell with this style. */
export type CellNumberWriter = (value: number, style: number) => string;

export function readCellStyles(root: XmlElement | undefined, dates: DateSystem): CellNumberWriter {
  const codes = new Map<number, string>();
  for (const format of root?.child('numFmts')?.elements('numFmt') ?? [])
    codes.set(Number(format.get('numFmtId')), format.get('formatCode') ?? '');
  const formats = new Map<number, (value: number) => string>();
  const styles = (root?.child('cellXfs')?.elements('xf') ?? []).map((style) => {
    const id = Number(style.get('numFmtId') ?? 0);
    let format = formats.get(id);
    if (format === undefined) {
      format = compileNumberFormat(codes.get(id) ?? builtInFormat(id), dates);
      formats.set(id, format);
    }
    return format;
  });
  return (value, style) => (styles[style] ?? plainNumber)(value);
}
