import { CallError } from '#core/errors/call-error.ts';
import type { DocumentContent, DocumentPart, DocumentPlace } from '#core/extract/document.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { detectFormat } from '../detect-format.ts';
import { writeMessage, type MailAttachment, type MailMessage } from './mail-message.ts';

/** Attachments of more mails than these are named, and not read. */
const MAX_READ_ATTACHMENTS = 50;
const MAX_READ_BYTES = 64 * 1024 * 1024;
const NO_DOCUMENT = /^(?:image|audio|video|font)\//;

/** The mail, the mails in it, and the documents attached to them, one level deep. */
export async function writeMail(message: MailMessage): Promise<DocumentContent> {
  const parts: DocumentPart[] = [];
  const notices: Notice[] = [];
  const unread: string[] = [];
  const attached: MailAttachment[] = [];
  const add = (markdown: string, title: string | undefined): void => {
    const section = parts.length + 1;
    const place: DocumentPlace = { is: 'section', section, ...(title !== undefined && { title }) };
    parts.push({ place, markdown });
  };
  for (const each of allMessages(message)) {
    add(writeMessage(each), each.subject);
    attached.push(...each.attachments);
  }
  let readBytes = 0;
  for (const [at, attachment] of attached.entries()) {
    readBytes += attachment.bytes.length;
    const isLimited = at >= MAX_READ_ATTACHMENTS || readBytes > MAX_READ_BYTES;
    const content = isLimited ? undefined : await readAttachment(attachment);
    if (content === undefined) unread.push(attachment.name);
    else {
      notices.push(...content.notices);
      for (const part of content.parts) add(part.markdown, titleOf(attachment.name, part.place));
    }
  }
  if (unread.length > 0) notices.push(notice('document_parts_not_read', { parts: unread }));
  const [only] = parts;
  return {
    ...(message.subject !== undefined && { title: message.subject }),
    ...(message.from !== undefined && { author: message.from }),
    ...(message.isoDate !== undefined && { date: message.isoDate }),
    parts:
      parts.length === 1 && only !== undefined
        ? [{ place: { is: 'document' }, markdown: only.markdown }]
        : parts,
    notices,
  };
}

function allMessages(message: MailMessage): readonly MailMessage[] {
  return [message, ...message.messages.flatMap(allMessages)];
}

function titleOf(name: string, place: DocumentPlace): string {
  if (place.is === 'page') return `${name}, page ${place.page}`;
  if (place.is === 'slide') return `${name}, slide ${place.slide}`;
  return place.is === 'sheet' ? `${name}, sheet ${place.sheet}` : name;
}

/** `undefined` for pictures, and for what no reader takes. */
async function readAttachment(attachment: MailAttachment): Promise<DocumentContent | undefined> {
  const { name, type, bytes } = attachment;
  if (bytes.length === 0 || NO_DOCUMENT.test(type)) return undefined;
  const source = { name, contentType: type };
  try {
    const { format } = detectFormat(bytes, source);
    // Attachments of attached mails are named only.
    if (format === 'eml')
      return namedOnly((await import('./read-mime-message.ts')).readMimeMessage(bytes));
    if (format === 'msg')
      return namedOnly((await import('./outlook-message.ts')).readOutlookMessage(bytes));
    const { readDocument } = await import('../read-document.ts');
    return await readDocument(bytes, source);
  } catch (error) {
    if (error instanceof CallError) return undefined;
    throw error;
  }
}

function namedOnly(message: MailMessage): DocumentContent {
  const parts = allMessages(message).map((each) => ({
    place: { is: 'document' } as const,
    markdown: writeMessage(each),
  }));
  return { parts, notices: [] };
}
