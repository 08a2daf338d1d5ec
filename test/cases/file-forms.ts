import { basename, dirname } from 'node:path';

/** One way to give a file in a call. */
export interface FileForm {
  readonly form: string;
  readonly entry: unknown;
}

export interface FormedFile {
  readonly name: string;
  readonly bytes: Buffer;
  readonly contentType: string;
  /** The id of the same file in the store. */
  readonly storedId: string;
}

/** The forms of a file that needs no folder of the caller; those of texts for texts alone. */
export function contentForms({
  name,
  bytes,
  contentType,
  storedId,
}: FormedFile): readonly FileForm[] {
  const content = bytes.toString('base64');
  const text = bytes.toString();
  const embedded = { uri: `file:///elsewhere/${name}` };
  const resource = `exai://files/${storedId}`;
  const forms: FileForm[] = [
    {
      form: 'filename, content and mime_type',
      entry: { filename: name, content, mime_type: contentType },
    },
    { form: 'filename and content', entry: { filename: name, content } },
    { form: 'data URL', entry: `data:${contentType};name=${name};base64,${content}` },
    { form: 'embedded blob', entry: { ...embedded, blob: content, mimeType: contentType } },
    { form: 'file id', entry: { file_id: storedId } },
    { form: 'file id as a text', entry: resource },
    { form: 'resource', entry: { uri: resource } },
  ];
  if (!contentType.startsWith('text/')) return forms;
  return [
    ...forms,
    { form: 'name and text', entry: { name, text } },
    { form: 'embedded text', entry: { ...embedded, text } },
    {
      form: 'data URL without base64',
      entry: `data:${contentType};name=${name},${encodeURIComponent(text)}`,
    },
  ];
}

/** The forms of a file by its place, which is the first folder of the caller. */
export function pathForms(path: string): readonly FileForm[] {
  const name = basename(path);
  const [extension] = /\.\w+$/.exec(name) ?? [''];
  return [
    { form: 'relative path', entry: name },
    { form: 'relative path with a dot', entry: `./${name}` },
    { form: 'absolute path', entry: path },
    { form: 'URL of a path', entry: { uri: `file://${path}` } },
    { form: 'pattern', entry: `*${extension}` },
    { form: 'absolute pattern', entry: `${dirname(path)}/**/*${extension}` },
    { form: 'folder', entry: dirname(path) },
  ];
}
