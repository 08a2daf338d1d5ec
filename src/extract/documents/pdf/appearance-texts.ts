import { loadLibrary } from './load-library.ts';
import type { PdfAnnotation, PdfPage } from './pdf-library.ts';

/** Annotations whose text is only in the way they are drawn: captions of buttons, and stamps. */
export function needsAppearance({
  subtype,
  pushButton,
  hasAppearance,
  hidden,
}: PdfAnnotation): boolean {
  return hasAppearance === true && hidden !== true && (pushButton === true || subtype === 'Stamp');
}

/** The texts that annotations show, by their id. */
export async function readAppearances(page: PdfPage): Promise<ReadonlyMap<string, string>> {
  const { OPS } = await loadLibrary();
  const { fnArray, argsArray } = await page.getOperatorList();
  const texts = new Map<string, string>();
  let id: string | undefined;
  for (const [at, operator] of fnArray.entries()) {
    const args = argsArray[at];
    if (operator === OPS['endAnnotation']) id = undefined;
    else if (operator === OPS['beginAnnotation'] && Array.isArray(args)) id = String(args[0]);
    else if (operator === OPS['showText'] && id !== undefined && Array.isArray(args))
      texts.set(id, `${texts.get(id) ?? ''} ${glyphText(args[0])}`.trim());
  }
  return texts;
}

/** Glyphs have the text that they stand for; numbers between them move the next one. */
function glyphText(glyphs: unknown): string {
  if (!Array.isArray(glyphs)) return '';
  return glyphs
    .map((glyph: unknown) =>
      typeof glyph === 'object' && glyph !== null && 'unicode' in glyph
        ? String(glyph.unicode)
        : '',
    )
    .join('');
}
