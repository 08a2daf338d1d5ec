import { decodeCharset } from './charset.ts';
import { htmlBody } from './html-body.ts';
import type { MailAttachment, MailMessage } from './mail-message.ts';
import { decodeBody, parseMime, type MimePart } from './mime-part.ts';

const MAX_NESTED_MESSAGES = 20;
const MAX_DATE_CHARACTERS = 200;

/** Reads a mail with the mails that are forwarded in it. */
export function readMimeMessage(bytes: Uint8Array): MailMessage {
  return readMessage(bytes, 0);
}

function readMessage(bytes: Uint8Array, depth: number): MailMessage {
  const root = parseMime(bytes);
  const content = new MessageContent(depth);
  content.add(root, 'shown');
  const { headers } = root;
  const date = headers.text('date');
  const time = date === undefined ? Number.NaN : parseDate(date);
  const fields = {
    from: headers.text('from') ?? headers.text('sender'),
    to: headers.text('to'),
    cc: headers.text('cc'),
    bcc: headers.text('bcc'),
    date,
    isoDate: Number.isNaN(time) ? undefined : new Date(time).toISOString(),
    subject: headers.text('subject'),
  };
  return {
    ...withoutUndefined(fields),
    body: content.texts.join('\n\n'),
    attachments: content.attachments,
    messages: content.messages,
  };
}

/** A comment, such as the name of the time zone, is left out. No date is long. */
function parseDate(date: string): number {
  return Date.parse(date.slice(0, MAX_DATE_CHARACTERS).replace(/\([^)]*\)/g, ''));
}

type Stated<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

function withoutUndefined<Fields extends object>(fields: Fields): Stated<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Stated<Fields>;
}

class MessageContent {
  readonly texts: string[] = [];
  readonly attachments: MailAttachment[] = [];
  readonly messages: MailMessage[] = [];
  readonly #depth: number;

  constructor(depth: number) {
    this.#depth = depth;
  }

  /** `unshown`: another alternative is shown, but attachments are not alternatives. */
  add(part: MimePart, text: 'shown' | 'unshown'): void {
    if (part.type === 'multipart/alternative') this.#addAlternatives(part, text);
    else if (part.children.length > 0) for (const child of part.children) this.add(child, text);
    else if (part.type.startsWith('multipart/')) return;
    else if (isMessage(part) && this.#depth < MAX_NESTED_MESSAGES)
      this.messages.push(readMessage(decodeBody(part), this.#depth + 1));
    else if (isText(part)) {
      const shown = text === 'shown' ? textOf(part) : '';
      if (shown !== '') this.texts.push(shown);
    } else this.#attach(part);
  }

  #addAlternatives(part: MimePart, text: 'shown' | 'unshown'): void {
    const chosen = text === 'shown' ? chooseAlternative(part.children) : undefined;
    for (const child of part.children) this.add(child, child === chosen ? 'shown' : 'unshown');
  }

  #attach(part: MimePart): void {
    const number = this.attachments.length + 1;
    const name = part.fileName ?? `attachment-${number}`;
    this.attachments.push({ name, type: part.type, bytes: decodeBody(part) });
  }
}

function isMessage({ type }: MimePart): boolean {
  return type === 'message/rfc822' || type === 'message/global';
}

/** Texts without a file name, and what reports of failed delivery say. */
function isText({ type, disposition, fileName }: MimePart): boolean {
  if (disposition === 'attachment') return false;
  if (type === 'text/plain' || type === 'text/html')
    return fileName === undefined || disposition === 'inline';
  return (
    fileName === undefined &&
    (type.startsWith('text/') || type.startsWith('message/')) &&
    type !== 'text/calendar'
  );
}

/** Plain text if it says something, otherwise the last, richest one. */
function chooseAlternative(children: readonly MimePart[]): MimePart | undefined {
  const plain = children.find((child) => firstText(child)?.type === 'text/plain');
  const text = plain === undefined ? undefined : firstText(plain);
  if (text !== undefined && textOf(text) !== '') return plain;
  return (
    children.findLast((child) => firstText(child)?.type === 'text/html') ??
    children.findLast((child) => firstText(child) !== undefined) ??
    children.at(-1)
  );
}

function firstText(part: MimePart): MimePart | undefined {
  if (part.children.length === 0) return isText(part) ? part : undefined;
  for (const child of part.children) {
    const found = firstText(child);
    if (found !== undefined) return found;
  }
  return undefined;
}

function textOf(part: MimePart): string {
  const text = decodeCharset(decodeBody(part), part.charset);
  return part.type === 'text/html' ? htmlBody(text) : text.replace(/\r\n?/g, '\n').trim();
}
