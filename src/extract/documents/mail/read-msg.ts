import type { FormatReader } from '../reader.ts';
import { writeMail } from './mail-parts.ts';
import { readOutlookMessage } from './outlook-message.ts';

/** Reads messages of Outlook (.msg) with the documents attached to them. */
export const readMsg: FormatReader = (bytes) => writeMail(readOutlookMessage(bytes));
