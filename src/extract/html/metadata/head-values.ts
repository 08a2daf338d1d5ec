import { textOf, type Tree } from '../tree/node.ts';

/** The <meta>, <link> and <title> of a page, by lower-case name; the first of each name counts. */
export interface HeadValues {
  readonly meta: ReadonlyMap<string, string>;
  readonly links: ReadonlyMap<string, string>;
  readonly title: string | undefined;
  readonly language: string | undefined;
  readonly base: string | undefined;
}

export function readHead({ head, root }: Tree): HeadValues {
  const meta = new Map<string, string>();
  const links = new Map<string, string>();
  let title: string | undefined;
  let language: string | undefined = root.get('lang');
  let base: string | undefined;
  for (const element of head) {
    switch (element.name) {
      case 'meta': {
        const key = element.get('property') ?? element.get('name') ?? element.get('itemprop');
        const name = (key ?? element.get('http-equiv'))?.trim().toLowerCase();
        const content = element.get('content')?.trim();
        if (name !== undefined && content !== undefined && content !== '' && !meta.has(name))
          meta.set(name, content);
        break;
      }
      case 'link': {
        const href = element.get('href')?.trim();
        if (href === undefined || href === '') break;
        for (const rel of (element.get('rel') ?? '').toLowerCase().split(/\s+/))
          if (rel !== '' && !links.has(rel)) links.set(rel, href);
        break;
      }
      case 'title':
        title ??= trimmedLine(textOf(element));
        break;
      case 'html':
        language ??= element.get('lang') ?? element.get('xml:lang');
        break;
      case 'base':
        base ??= element.get('href')?.trim();
        break;
      default:
        break;
    }
  }
  return { meta, links, title, language, base };
}

export function trimmedLine(text: string): string | undefined {
  const line = text.replace(/\s+/g, ' ').trim();
  return line === '' ? undefined : line;
}
