import { withoutControls } from '../flow-writer.ts';
import { escapeInline } from '../inline-builder.ts';

export interface MailAttachment {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** A mail as both formats store it. */
export interface MailMessage {
  readonly from?: string;
  readonly to?: string;
  readonly cc?: string;
  readonly bcc?: string;
  /** As the mail states it. */
  readonly date?: string;
  readonly isoDate?: string;
  readonly subject?: string;
  /** Markdown. */
  readonly body: string;
  readonly attachments: readonly MailAttachment[];
  /** Mails inside of the mail. */
  readonly messages: readonly MailMessage[];
}

/** The header that readers of mails see, the text, and the names of the attachments. */
export function writeMessage(message: MailMessage): string {
  const fields = (
    [
      ['From', message.from],
      ['To', message.to],
      ['Cc', message.cc],
      ['Bcc', message.bcc],
      ['Date', message.date],
      ['Subject', message.subject],
    ] as const
  ).flatMap(([name, value]) =>
    value === undefined || value.trim() === '' ? [] : [`**${name}:** ${oneLine(value)}`],
  );
  const attachments = message.attachments.map(
    ({ name, type, bytes }) => `- ${oneLine(name)} (${oneLine(type)}, ${bytes.length} bytes)`,
  );
  return [
    fields.join('  \n'),
    message.body.trim(),
    attachments.length === 0 ? '' : `Attachments:\n\n${attachments.join('\n')}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function oneLine(text: string): string {
  return escapeInline(withoutControls(text).replace(/\s+/g, ' ').trim());
}
