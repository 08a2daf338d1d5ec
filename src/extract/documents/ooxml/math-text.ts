import { XmlElement } from '../xml/xml-node.ts';

/** A formula of Office (`m:oMath`) in the notation of LaTeX, between dollar signs. */
export function writeMath(math: XmlElement): string {
  const text = row(math)
    .replace(/[\u2061-\u2064]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return text === '' ? '' : `$${text}$`;
}

const OPERATORS: Readonly<Record<string, string>> = {
  '∑': String.raw`\sum`,
  '∏': String.raw`\prod`,
  '∫': String.raw`\int`,
  '∬': String.raw`\iint`,
  '∭': String.raw`\iiint`,
  '∮': String.raw`\oint`,
  '⋃': String.raw`\bigcup`,
  '⋂': String.raw`\bigcap`,
};

const ACCENTS: Readonly<Record<string, string>> = {
  '\u0302': String.raw`\hat`,
  '\u0303': String.raw`\tilde`,
  '\u0304': String.raw`\bar`,
  '\u0305': String.raw`\overline`,
  '\u0307': String.raw`\dot`,
  '\u0308': String.raw`\ddot`,
  '\u20d7': String.raw`\vec`,
};

/** What is not shown: properties of the elements around. */
const PROPERTIES = /Pr$/;

function row(element: XmlElement | undefined): string {
  if (element === undefined) return '';
  let text = '';
  for (const child of element.children)
    if (child instanceof XmlElement && !PROPERTIES.test(child.name)) text += write(child);
  return text;
}

function write(element: XmlElement): string {
  const part = (name: string): string => row(element.child(name)).trim();
  const value = (name: string): string | undefined =>
    element.child(`${element.name}Pr`)?.child(name)?.get('val');
  switch (element.name) {
    case 'r':
      return element
        .elements('t')
        .map((text) => text.text())
        .join('');
    case 't':
      return element.text();
    case 'br':
      return ' ';
    case 'f':
      return value('type') === 'lin'
        ? `${part('num')}/${part('den')}`
        : String.raw`\frac{${part('num')}}{${part('den')}}`;
    case 'sSup':
      return `${part('e')}^{${part('sup')}}`;
    case 'sSub':
      return `${part('e')}_{${part('sub')}}`;
    case 'sSubSup':
      return `${part('e')}_{${part('sub')}}^{${part('sup')}}`;
    case 'sPre':
      return `{}_{${part('sub')}}^{${part('sup')}}${part('e')}`;
    case 'rad': {
      const degree = part('deg');
      return degree === ''
        ? String.raw`\sqrt{${part('e')}}`
        : String.raw`\sqrt[${degree}]{${part('e')}}`;
    }
    case 'nary': {
      const sign = value('chr') ?? '∫';
      const [sub, sup] = [part('sub'), part('sup')];
      const limits = `${sub === '' ? '' : `_{${sub}}`}${sup === '' ? '' : `^{${sup}}`}`;
      return `${OPERATORS[sign] ?? sign}${limits} ${part('e')}`;
    }
    case 'd':
      return `${value('begChr') ?? '('}${cells(element, value('sepChr') ?? '|')}${value('endChr') ?? ')'}`;
    case 'm': {
      const rows = element.elements('mr').map((each) => cells(each, ' & '));
      // In slides the element around a formula has the same name.
      return rows.length === 0 ? row(element) : rows.join(String.raw` \\ `);
    }
    case 'eqArr':
      return cells(element, String.raw` \\ `);
    case 'func':
      return `${part('fName')} ${part('e')}`;
    case 'limLow':
      return `${part('e')}_{${part('lim')}}`;
    case 'limUpp':
      return `${part('e')}^{${part('lim')}}`;
    case 'acc':
      return `${ACCENTS[value('chr') ?? '\u0302'] ?? String.raw`\hat`}{${part('e')}}`;
    case 'bar':
      return String.raw`\overline{${part('e')}}`;
    case 'del':
    case 'moveFrom':
      return '';
    default:
      return row(element);
  }
}

function cells(element: XmlElement, separator: string): string {
  return element
    .elements('e')
    .map((each) => row(each).trim())
    .join(separator);
}
