import { damaged } from '../document-errors.ts';
import type { FormatReader } from '../reader.ts';
import { writeMail } from './mail-parts.ts';
import { readMimeMessage } from './read-mime-message.ts';

/** Reads mails (.eml) with the documents attached to them. */
export const readEml: FormatReader = async (bytes) => {
  const message = readMimeMessage(bytes);
  const isMail =
    message.from !== undefined ||
    message.subject !== undefined ||
    message.date !== undefined ||
    message.to !== undefined ||
    message.body !== '';
  if (!isMail) throw damaged('mail', 'it has no header');
  return writeMail(message);
};
