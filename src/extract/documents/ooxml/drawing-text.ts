import { appendAll } from '../office/append-all.ts';
import type { OfficeBlock, OfficeRun } from '../office/office-block.ts';
import { formatListNumber, type NumberStyle } from '../office/number-label.ts';
import type { XmlElement } from '../xml/xml-node.ts';
import { writeMath } from './math-text.ts';

export interface DrawingTextOptions {
  /** The address of a relationship. */
  readonly link: (id: string) => string | undefined;
  /** `item`: paragraphs are items of a list unless they state otherwise, as in the body of a slide. */
  readonly paragraphs: 'plain' | 'item';
}

/** The paragraphs of a text of DrawingML (`a:p`), in slides, shapes, charts and diagrams. */
export function readDrawingText(body: XmlElement, options: DrawingTextOptions): OfficeBlock[] {
  const blocks: OfficeBlock[] = [];
  const counts: number[] = [];
  for (const paragraph of body.elements('p')) {
    const runs = readDrawingRuns(paragraph, options);
    if (runs.every(({ text }) => text.trim() === '')) continue;
    const properties = paragraph.child('pPr');
    const level = Math.min(Number(properties?.get('lvl') ?? 0) || 0, 8);
    const numbering = properties?.child('buAutoNum');
    counts.length = Math.min(counts.length, numbering === undefined ? level : level + 1);
    if (numbering !== undefined) {
      const count = counts[level] ?? (Number(numbering.get('startAt') ?? 1) || 1) - 1;
      counts[level] = count + 1;
      blocks.push({ kind: 'item', level, label: autoNumber(count + 1, numbering), runs });
    } else if (isItem(properties, options)) blocks.push({ kind: 'item', level, runs });
    else blocks.push({ kind: 'paragraph', runs });
  }
  return blocks;
}

function isItem(properties: XmlElement | undefined, options: DrawingTextOptions): boolean {
  if (properties?.child('buNone') !== undefined) return false;
  if (properties?.child('buChar') !== undefined || properties?.child('buBlip') !== undefined)
    return true;
  return options.paragraphs === 'item';
}

const AUTO_STYLE: Readonly<Record<string, NumberStyle>> = {
  arabic: 'decimal',
  alphaLc: 'lowerLetter',
  alphaUc: 'upperLetter',
  romanLc: 'lowerRoman',
  romanUc: 'upperRoman',
  circleNum: 'circled',
  ea: 'chinese',
};

/** `alphaLcParenR` is `a)`, `arabicPeriod` is `1.`. */
function autoNumber(number: number, numbering: XmlElement): string {
  const type = numbering.get('type') ?? 'arabicPeriod';
  const style = Object.entries(AUTO_STYLE).find(([start]) => type.startsWith(start))?.[1];
  const text = formatListNumber(number, style ?? 'decimal');
  if (type.endsWith('ParenBoth')) return `(${text})`;
  if (type.endsWith('ParenR')) return `${text})`;
  return style === 'circled' ? text : `${text}.`;
}

export function readDrawingRuns(
  paragraph: XmlElement,
  options: Pick<DrawingTextOptions, 'link'>,
): OfficeRun[] {
  const runs: OfficeRun[] = [];
  for (const child of paragraph.elements()) {
    switch (child.name) {
      case 'r':
      case 'fld':
        runs.push(readRun(child, options));
        break;
      case 'br':
        runs.push({ text: '\n' });
        break;
      case 'm':
      case 'oMath':
      case 'oMathPara':
        runs.push({ text: writeMath(child), isMarkdown: true });
        break;
      case 'AlternateContent': {
        const choice = child.child('Choice');
        const inner = choice === undefined ? [] : readDrawingRuns(choice, options);
        const fallback = child.child('Fallback');
        if (inner.length > 0 || fallback === undefined) appendAll(runs, inner);
        else appendAll(runs, readDrawingRuns(fallback, options));
        break;
      }
      default:
    }
  }
  return runs;
}

function readRun(run: XmlElement, { link }: Pick<DrawingTextOptions, 'link'>): OfficeRun {
  const properties = run.child('rPr');
  const id = properties?.child('hlinkClick')?.getPrefixed('id');
  const address = id === undefined ? undefined : link(id);
  const isOn = (name: string): boolean => /^(?:1|true|on)$/.test(properties?.get(name) ?? '');
  return {
    text: (run.child('t')?.text() ?? '').replaceAll('\v', '\n'),
    isBold: isOn('b'),
    isItalic: isOn('i'),
    isStruck: /^(?:sng|dbl)Strike$/.test(properties?.get('strike') ?? ''),
    ...(address !== undefined && { link: address }),
  };
}

/** All text of a DrawingML body in one line, as for titles of charts. */
export function drawingLine(element: XmlElement | undefined): string {
  const paragraphs = element?.descendants('p') ?? [];
  return paragraphs
    .map((paragraph) => readDrawingRuns(paragraph, { link: () => undefined }))
    .map((runs) => runs.map(({ text }) => text).join(''))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
}
