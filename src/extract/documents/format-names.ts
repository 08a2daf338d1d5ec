import type { DocumentFormat, DocumentSource } from '#core/extract/document.ts';

/** The usual extensions and media types of the formats; the first media type is the one given. */
interface FormatNames {
  readonly extensions: readonly string[];
  readonly mediaTypes: readonly string[];
}

const OOXML = 'application/vnd.openxmlformats-officedocument';
const ODF = 'application/vnd.oasis.opendocument';

const NAMES: { readonly [Format in DocumentFormat]: FormatNames } = {
  pdf: { extensions: ['pdf'], mediaTypes: ['application/pdf', 'application/x-pdf'] },
  docx: {
    extensions: ['docx', 'docm', 'dotx', 'dotm'],
    mediaTypes: [
      `${OOXML}.wordprocessingml.document`,
      'application/vnd.ms-word.document.macroenabled.12',
    ],
  },
  pptx: {
    extensions: ['pptx', 'pptm', 'ppsx', 'ppsm', 'potx'],
    mediaTypes: [`${OOXML}.presentationml.presentation`],
  },
  xlsx: {
    extensions: ['xlsx', 'xlsm', 'xltx', 'xlsb'],
    mediaTypes: [`${OOXML}.spreadsheetml.sheet`, 'application/vnd.ms-excel.sheet.macroenabled.12'],
  },
  odt: { extensions: ['odt', 'ott', 'sxw'], mediaTypes: [`${ODF}.text`] },
  ods: { extensions: ['ods', 'ots', 'sxc'], mediaTypes: [`${ODF}.spreadsheet`] },
  odp: { extensions: ['odp', 'otp', 'sxi'], mediaTypes: [`${ODF}.presentation`] },
  epub: { extensions: ['epub'], mediaTypes: ['application/epub+zip'] },
  doc: { extensions: ['doc', 'dot'], mediaTypes: ['application/msword'] },
  ppt: { extensions: ['ppt', 'pps', 'pot'], mediaTypes: ['application/vnd.ms-powerpoint'] },
  xls: { extensions: ['xls', 'xlt', 'xla'], mediaTypes: ['application/vnd.ms-excel'] },
  rtf: { extensions: ['rtf'], mediaTypes: ['application/rtf', 'text/rtf'] },
  csv: { extensions: ['csv', 'tsv', 'tab'], mediaTypes: ['text/csv', 'text/tab-separated-values'] },
  eml: { extensions: ['eml', 'mht', 'mhtml'], mediaTypes: ['message/rfc822'] },
  msg: { extensions: ['msg', 'oft'], mediaTypes: ['application/vnd.ms-outlook'] },
  archive: {
    extensions: ['zip', 'jar', 'tar', 'gz', 'tgz', 'bz2', 'xz', '7z', 'rar', 'zst'],
    mediaTypes: [
      'application/zip',
      'application/gzip',
      'application/x-tar',
      'application/java-archive',
    ],
  },
  html: {
    extensions: ['html', 'htm', 'xhtml', 'xht'],
    mediaTypes: ['text/html', 'application/xhtml+xml'],
  },
  notebook: { extensions: ['ipynb'], mediaTypes: ['application/x-ipynb+json'] },
  text: { extensions: ['txt', 'text', 'md', 'log'], mediaTypes: ['text/plain', 'text/markdown'] },
};

const FORMATS = Object.entries(NAMES) as readonly (readonly [DocumentFormat, FormatNames])[];
/** Said of any bytes. */
const ANY_TYPE = new Set([
  'application/octet-stream',
  'binary/octet-stream',
  'application/unknown',
]);
/** Formats that are text, so that a program may as well call them that. */
const PLAIN: readonly DocumentFormat[] = ['text', 'csv', 'notebook', 'eml', 'html'];

export interface DeclaredFormat {
  /** As the source says it: `.docx` or `application/pdf`. */
  readonly label: string;
  readonly formats: readonly DocumentFormat[];
}

/** What the name and the declared type say, where they are known to say something. */
export function declaredFormats({ name, contentType }: DocumentSource): DeclaredFormat[] {
  const declared: DeclaredFormat[] = [];
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== undefined && !ANY_TYPE.has(type)) {
    const found = FORMATS.find(([, { mediaTypes }]) => mediaTypes.includes(type));
    if (found !== undefined) declared.push({ label: type, formats: relatives(found[0]) });
  }
  const extension = extensionOf(name);
  const named = FORMATS.find(([, { extensions }]) => extensions.includes(extension));
  if (named !== undefined) declared.push({ label: `.${extension}`, formats: relatives(named[0]) });
  return declared;
}

/** Formats that go by each other's names. */
function relatives(format: DocumentFormat): readonly DocumentFormat[] {
  return format === 'text' ? PLAIN : [format];
}

export function extensionOf(name: string | undefined): string {
  return /\.([a-z0-9]+)$/i.exec(name ?? '')?.[1]?.toLowerCase() ?? '';
}

export function mediaTypeOf(format: DocumentFormat, { contentType }: DocumentSource): string {
  const { mediaTypes } = NAMES[format];
  const declared = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const isOwn =
    mediaTypes.includes(declared) || (format === 'text' && declared.startsWith('text/'));
  return isOwn ? declared : (mediaTypes[0] ?? 'application/octet-stream');
}
