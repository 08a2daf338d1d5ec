import { withoutControls } from '../flow-writer.ts';
import { ByteView } from '../legacy/byte-view.ts';
import { CompoundFile } from '../legacy/compound-file.ts';
import type { CompoundEntry } from '../legacy/compound-directory.ts';
import { parseRtf } from '../rtf/rtf-parser.ts';
import { decodeCharset } from './charset.ts';
import { decompressRtf } from './compressed-rtf.ts';
import { htmlBody } from './html-body.ts';
import type { MailAttachment, MailMessage } from './mail-message.ts';
import { OutlookProperties } from './outlook-properties.ts';

const PROPERTY = {
  subject: 0x0037,
  submitTime: 0x0039,
  senderName: 0x0c1a,
  senderAddress: 0x0c1f,
  senderSmtp: 0x5d01,
  displayBcc: 0x0e02,
  displayCc: 0x0e03,
  displayTo: 0x0e04,
  deliveryTime: 0x0e06,
  body: 0x1000,
  compressedRtf: 0x1009,
  html: 0x1013,
  recipientType: 0x0c15,
  name: 0x3001,
  address: 0x3003,
  smtp: 0x39fe,
  attachedData: 0x3701,
  shortFileName: 0x3704,
  fileName: 0x3707,
  mimeType: 0x370e,
} as const;
const MAX_NESTED = 20;
const MAX_ATTACHMENTS = 5000;

export function readOutlookMessage(bytes: Uint8Array): MailMessage {
  const file = new CompoundFile(bytes);
  return readStorage(file, file.root, 32, 0);
}

function readStorage(
  file: CompoundFile,
  storage: CompoundEntry,
  headerBytes: number,
  depth: number,
): MailMessage {
  const properties = new OutlookProperties(file, storage, headerBytes);
  const attachments: MailAttachment[] = [];
  const messages: MailMessage[] = [];
  const recipients: { readonly type: number; readonly text: string }[] = [];
  for (const [name, child] of storage.children) {
    if (child.kind !== 'storage') continue;
    if (name.startsWith('__RECIP_VERSION1.0_')) recipients.push(readRecipient(file, child));
    if (!name.startsWith('__ATTACH_VERSION1.0_') || attachments.length >= MAX_ATTACHMENTS) continue;
    const embedded = child.children.get('__SUBSTG1.0_3701000D');
    if (embedded !== undefined && embedded.children.has('__PROPERTIES_VERSION1.0')) {
      if (depth < MAX_NESTED) messages.push(readStorage(file, embedded, 24, depth + 1));
    } else attachments.push(readAttachment(file, child, attachments.length + 1));
  }
  const listed = (type: number, property: number): string | undefined => {
    const own = recipients.filter((each) => each.type === type && each.text !== '');
    return own.length > 0 ? own.map(({ text }) => text).join('; ') : properties.text(property);
  };
  const date = properties.time(PROPERTY.submitTime) ?? properties.time(PROPERTY.deliveryTime);
  const fields: [string, string | undefined][] = [
    ['from', readSender(properties)],
    ['to', listed(1, PROPERTY.displayTo)],
    ['cc', listed(2, PROPERTY.displayCc)],
    ['bcc', listed(3, PROPERTY.displayBcc)],
    ['date', date],
    ['isoDate', date],
    ['subject', properties.text(PROPERTY.subject)],
  ];
  return {
    ...Object.fromEntries(fields.filter(([, value]) => value !== undefined && value !== '')),
    body: readBody(properties),
    attachments,
    messages,
  };
}

function readSender(properties: OutlookProperties): string | undefined {
  const name = properties.text(PROPERTY.senderName);
  const address = [PROPERTY.senderSmtp, PROPERTY.senderAddress]
    .map((property) => properties.text(property))
    .find((each) => each?.includes('@') === true);
  return withAddress(name, address);
}

function withAddress(name: string | undefined, address: string | undefined): string | undefined {
  if (name === undefined || name === '' || name === address) return address ?? name;
  return address === undefined || address === '' ? name : `${name} <${address}>`;
}

function readRecipient(file: CompoundFile, storage: CompoundEntry): { type: number; text: string } {
  const properties = new OutlookProperties(file, storage, 8);
  const address = [PROPERTY.smtp, PROPERTY.address]
    .map((property) => properties.text(property))
    .find((each) => each?.includes('@') === true);
  return {
    type: properties.integer(PROPERTY.recipientType) ?? 1,
    text: withAddress(properties.text(PROPERTY.name), address) ?? '',
  };
}

function readAttachment(
  file: CompoundFile,
  storage: CompoundEntry,
  number: number,
): MailAttachment {
  const properties = new OutlookProperties(file, storage, 8);
  const name =
    properties.text(PROPERTY.fileName) ??
    properties.text(PROPERTY.shortFileName) ??
    properties.text(PROPERTY.name);
  return {
    name: name === undefined || name === '' ? `attachment-${number}` : name,
    type: properties.text(PROPERTY.mimeType) ?? 'application/octet-stream',
    bytes: properties.binary(PROPERTY.attachedData) ?? new Uint8Array(),
  };
}

/** Plain text, else HTML, else rich text. */
function readBody(properties: OutlookProperties): string {
  const plain = properties.text(PROPERTY.body)?.replace(/\r\n?/g, '\n').trim() ?? '';
  if (plain !== '') return withoutControls(plain);
  const html = properties.binary(PROPERTY.html);
  const htmlText =
    html === undefined || html.length === 0
      ? properties.text(PROPERTY.html)
      : decodeCharset(html, charsetOfHtml(html) ?? properties.charset);
  if (htmlText !== undefined && htmlText.trim() !== '') return htmlBody(htmlText);
  const compressed = properties.binary(PROPERTY.compressedRtf);
  if (compressed === undefined || compressed.length < 16) return '';
  return parseRtf(decompressRtf(new ByteView(compressed, 'Outlook'))).markdown;
}

function charsetOfHtml(html: Uint8Array): string | undefined {
  const start = String.fromCharCode(...html.subarray(0, 2048));
  return /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w:.-]{2,40})/i.exec(start)?.[1];
}
