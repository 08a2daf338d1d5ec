import { CallError } from '#core/errors/call-error.ts';
import { asObject, type JsonObject, type Unknown } from '#core/json/json.ts';

/** Names that the seed project has for arguments of the vendor's tools, by what the schema has. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  to: ['recipient_email', 'to_email'],
  channel_id: ['channel'],
  message: ['markdown_text', 'text'],
  attachments: ['attachment'],
  code: ['code_to_execute'],
};
const FURTHER_RECIPIENTS = 'extra_recipients';

const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  gif: 'image/gif',
  html: 'text/html',
  jpg: 'image/jpeg',
  json: 'application/json',
  md: 'text/markdown',
  pdf: 'application/pdf',
  png: 'image/png',
  txt: 'text/plain',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  zip: 'application/zip',
};

/** Limits the results that a search gives; the vendor's own searches have no such argument. */
export const NUM_RESULTS = 'num_results';

/**
 * Gives the arguments of a tool the names of its schema: a name stays where the schema has it, and
 * the vendor's name wins where both are given.
 */
export function renameArguments(schema: JsonObject, args: Unknown): Record<string, unknown> {
  const properties = asObject(schema['properties']);
  if (!properties) return { ...args };
  const given: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(args)) {
    const meant = Object.hasOwn(properties, name)
      ? name
      : OTHER_NAMES[name]?.find((one) => Object.hasOwn(properties, one));
    if (meant === undefined) given[name] = value;
    else if (meant === name || !Object.hasOwn(args, meant)) {
      Object.assign(given, convert(name, meant, value, properties));
    }
  }
  return given;
}

function convert(name: string, meant: string, value: unknown, properties: Unknown): object {
  if (meant === 'attachment') return { attachment: toAttachment(value, name) };
  if (name !== 'to' || !Array.isArray(value)) return { [meant]: value };
  const [first, ...others] = value as unknown[];
  if (others.length === 0) return { [meant]: first };
  if (Object.hasOwn(properties, FURTHER_RECIPIENTS)) {
    return { [meant]: first, [FURTHER_RECIPIENTS]: others };
  }
  throw invalid('to', 'must be one address for this tool; add others as cc_emails');
}

/** One file, as a key of an upload, as its fields in either spelling, or in a list of one. */
function toAttachment(value: unknown, field: string): unknown {
  if (Array.isArray(value)) {
    if (value.length === 0) return undefined;
    if (value.length > 1) throw invalid(field, 'must be one file; pack several into a zip file');
    return toAttachment(value[0], field);
  }
  if (typeof value === 'string') {
    const name = value.split('/').at(-1) ?? value;
    return { name, mimetype: typeOf(name), s3key: value };
  }
  const file = asObject(value);
  const key = file?.['s3key'] ?? file?.['s3_key'];
  if (!file || typeof key !== 'string') return value;
  const path = file['local_path'];
  const known = file['name'] ?? file['filename'];
  const name = [known, path, key].find((one) => typeof one === 'string' && one !== '') as string;
  const last = name.split('/').at(-1) ?? name;
  const type = file['mimetype'] ?? file['mime_type'] ?? file['mimeType'];
  return { name: last, mimetype: typeof type === 'string' ? type : typeOf(last), s3key: key };
}

function typeOf(name: string): string {
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return TYPES[extension === 'jpeg' ? 'jpg' : extension] ?? 'application/octet-stream';
}

function invalid(field: string, problem: string): CallError {
  return new CallError('validation', `"${field}" ${problem}.`, { field });
}
