import type { Ask, Reply } from '../vendor.ts';
import type { GlmError } from './errors.ts';
import { showFile, type Files } from './files.ts';

/** `/files` and what is below it; gives the error for its caller to say. */
export async function serveFiles(
  ask: Ask,
  reply: Reply,
  path: string,
  owner: string,
  files: Files,
): Promise<GlmError | undefined> {
  if (path === '/files') {
    if (ask.method === 'POST') return upload(ask, reply, owner, files);
    if (ask.method !== 'GET') return { code: '1222', about: `${ask.method} ${path}` };
    const listed = files.list(owner, ask.query);
    if ('error' in listed) return listed.error;
    await reply.json(200, {
      object: 'list',
      data: listed.files.map(showFile),
      has_more: listed.more,
    });
    return undefined;
  }
  const [, , id = '', below, ...rest] = path.split('/');
  const file = files.find(owner, id);
  if (below === 'content' && rest.length === 0 && ask.method === 'GET') {
    if (file === undefined) return { code: '404', about: `file ${id}` };
    if (file.purpose === 'file-extract') {
      await reply.json(200, {
        content: file.data.toString('utf8'),
        file_type: file.filename.split('.').at(-1) ?? '',
        filename: file.filename,
        title: '',
        type: 'file',
      });
      return undefined;
    }
    await reply.raw(200, file.data, { 'content-type': 'application/octet-stream' });
    return undefined;
  }
  if (below === undefined && ask.method === 'DELETE') {
    if (file === undefined) return { code: '404', about: `file ${id}` };
    files.remove(file);
    await reply.json(200, { id: file.id, deleted: true, object: 'file' });
    return undefined;
  }
  // There is no reading of one file's record here, only of its content.
  return { code: '1222', about: `${ask.method} ${path}` };
}

async function upload(
  ask: Ask,
  reply: Reply,
  owner: string,
  files: Files,
): Promise<GlmError | undefined> {
  const added = files.add(owner, ask.form, ask.now());
  if (!('error' in added)) {
    // Accepted and stored, but unusable: the uploader should delete it again.
    const failed = ask.fault?.id === 'F15.status' ? { status: 'error' } : {};
    await reply.json(200, { ...showFile(added), ...failed });
    return undefined;
  }
  if (added.error !== 'over 100 MB') return added.error;
  await reply.json(435, { error: { code: '1214', message: 'The file is larger than 100 MB.' } });
  return undefined;
}
