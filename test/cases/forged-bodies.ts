import type { AskRequest } from '#core/llm/ask.ts';

/** What a vendor would be sent, as far as it matters where texts stand. */
export interface Body {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

const MARK = /<\/file mark="(\d{30})">;/;

/** The mark that the system tells of; nothing where there are no files. */
export function markOf({ messages: [system] }: Body): string | undefined {
  return MARK.exec(asText(system?.content))?.[1];
}

/**
 * A body with another text in the place of one, and the mark of its files in the place of theirs.
 */
export function instead(
  { body, text }: { readonly body: Body; readonly text: string },
  other: { readonly text: string; readonly mark: string | undefined },
): Body {
  const mark = markOf(body);
  const put = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(put);
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, put(each)]));
    }
    if (typeof value !== 'string') return value;
    const marked = mark === undefined ? value : value.split(mark).join(other.mark);
    return marked.split(text).join(other.text.toWellFormed());
  };
  return put(body) as Body;
}

/**
 * What is wrong with the files of a body: each has to stand whole between its lines, and the mark
 * nowhere else.
 */
export function markFaults(body: Body, { files = [] }: Pick<AskRequest, 'files'>): string[] {
  const mark = markOf(body);
  if (mark === undefined) return files.length === 0 ? [] : ['There are files and no mark.'];
  if (files.length === 0) return ['There is a mark and no file.'];
  const [, block] = body.messages;
  const byName = files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const given = byName.map(({ text }) => text.toWellFormed());
  const shown = framesOf(asText(block?.content), mark);
  const found = body.messages.map(({ content }) => asText(content).split(mark).length - 1);
  const wanted = body.messages.map((_, at) => [2, files.length * 2][at] ?? 0);
  return [
    ...(block?.role === 'user' ? [] : ['The files are said by somebody else than the user.']),
    ...(isSame(shown, given) ? [] : ['The files are not those that were given.']),
    ...(isSame(found, wanted) ? [] : [`The mark stands ${found.join(', ')} times.`]),
  ];
}

/** The texts of files, by the lines that have the mark and by nothing else. */
function framesOf(content: string, mark: string): readonly (string | undefined)[] {
  const head = new RegExp(
    `^<file name="[^"<>\\p{Cc}\\u2028\\u2029]{1,200}" mark="${mark}">\\n`,
    'u',
  );
  const pieces = content.split(`\n</file mark="${mark}">\n`);
  const rest = pieces.pop();
  const texts = pieces.map((piece) => {
    const [line] = head.exec(piece) ?? [];
    return line === undefined ? undefined : piece.slice(line.length);
  });
  return rest === '' ? texts : [...texts, rest];
}

function asText(content: unknown): string {
  return typeof content === 'string' ? content : (JSON.stringify(content) ?? '');
}

function isSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((each, at) => each === others[at]);
}
