import type { XmlElement } from '../xml/xml-node.ts';

export interface ParagraphStyle {
  /** 1 to 9 for headings. */
  readonly heading?: number;
  readonly numbering?: { readonly id?: string; readonly level?: number };
}

export interface CharacterStyle {
  readonly isBold?: boolean;
  readonly isItalic?: boolean;
}

export interface DocxStyles {
  paragraph(id: string | undefined): ParagraphStyle;
  character(id: string | undefined): CharacterStyle;
}

const MAX_CHAIN = 20;

export function readStyles(root: XmlElement | undefined): DocxStyles {
  const byId = new Map<string, XmlElement>();
  for (const style of root?.elements('style') ?? []) {
    const id = style.get('styleId');
    if (id !== undefined && !byId.has(id)) byId.set(id, style);
  }
  const known = new Map<string, ParagraphStyle>();

  function chain(id: string): XmlElement[] {
    const styles: XmlElement[] = [];
    let at = byId.get(id);
    while (at !== undefined && styles.length < MAX_CHAIN) {
      styles.push(at);
      at = byId.get(at.child('basedOn')?.get('val') ?? '');
    }
    return styles;
  }

  return {
    paragraph(id) {
      if (id === undefined) return {};
      let style = known.get(id);
      if (style === undefined) {
        style = paragraphStyle(chain(id), id);
        known.set(id, style);
      }
      return style;
    },
    character(id) {
      const style = id === undefined ? undefined : byId.get(id);
      if (style?.get('type') !== 'character') return {};
      return runStyle(style.child('rPr'));
    },
  };
}

function paragraphStyle(styles: readonly XmlElement[], id: string): ParagraphStyle {
  const heading = styles.map(headingOf).find((level) => level !== undefined);
  const own = styles.length === 0 ? headingByName(id) : heading;
  const numbering = styles
    .map((style) => style.path('pPr', 'numPr'))
    .find((found) => found !== undefined);
  const level = Number(numbering?.child('ilvl')?.get('val') ?? Number.NaN);
  const numberingId = numbering?.child('numId')?.get('val');
  return {
    ...(own !== undefined && { heading: own }),
    ...(numbering !== undefined && {
      numbering: {
        ...(numberingId !== undefined && { id: numberingId }),
        ...(Number.isInteger(level) && { level }),
      },
    }),
  };
}

/** 0 ends the search: a style of body text based on a heading. */
function headingOf(style: XmlElement): number | undefined {
  const outline = outlineLevel(style.child('pPr'));
  return headingByName(style.child('name')?.get('val') ?? '') ?? outline;
}

function headingByName(name: string): number | undefined {
  const numbered = /^heading ?([1-9])$/i.exec(name)?.[1];
  if (numbered !== undefined) return Number(numbered);
  return /^title$/i.test(name) ? 1 : undefined;
}

/** The level of an outline as that of a heading; 0 for body text. */
export function outlineLevel(properties: XmlElement | undefined): number | undefined {
  const value = properties?.child('outlineLvl')?.get('val');
  if (value === undefined) return undefined;
  const level = Number(value);
  return level >= 0 && level < 9 ? level + 1 : 0;
}

export function runStyle(properties: XmlElement | undefined): CharacterStyle {
  const isBold = toggle(properties?.child('b'));
  const isItalic = toggle(properties?.child('i'));
  return {
    ...(isBold !== undefined && { isBold }),
    ...(isItalic !== undefined && { isItalic }),
  };
}

/** `<w:b/>` is on, `<w:b w:val="0"/>` is off. */
export function toggle(element: XmlElement | undefined): boolean | undefined {
  if (element === undefined) return undefined;
  return !/^(?:0|false|off|none)$/.test(element.get('val') ?? '');
}
