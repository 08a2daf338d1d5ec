import { asList, asObject, type Unknown } from '#core/json/json.ts';
import { responseOf } from './read-execution.ts';

/** Runs a command in the remote workbench and returns what it printed. */
export type RunRemote = (command: string) => Promise<{
  readonly stdout: string;
  /** Whether the vendor cut it. */
  readonly isCut: boolean;
}>;

/** Data without previews, and what to say about what stayed remote. */
export interface Completed {
  readonly data: Unknown;
  readonly notes: readonly string[];
}

/** Of an offloaded answer, given inline. */
const MAX_INLINE_BYTES = 5 * 1024 * 1024;
const FIRST_CHUNK_BYTES = 1024 * 1024;
const MIN_CHUNK_BYTES = 6_000;
const MAX_COMMANDS = 64;
const PATH_FIELDS = ['file_path', 'path', 'remote_path', 'sandbox_path'] as const;

/**
 * Replaces previews by the answers that the vendor wrote to files of the remote workbench. What is larger than the limit stays there, and the answer says where.
 */
export async function completeOffloaded(data: Unknown, run: RunRemote): Promise<Completed> {
  const notes: string[] = [];

  async function complete(part: Unknown, about: unknown): Promise<Unknown> {
    const path = remotePathIn(part['remote_file_info'] ?? about);
    if (!('data_preview' in part) || 'data' in part) return part;
    const { data_preview: preview, remote_file_info: _, ...rest } = part;
    if (path === undefined) {
      notes.push('The vendor gave only a preview of one answer, and no file with all of it.');
      return part;
    }
    const read = await readRemote(path, run).catch(() => undefined);
    if (read?.is === 'inline') return { ...rest, data: parsed(read.text) };
    const bytes = read?.bytes;
    const size = bytes === undefined ? '' : ` (${bytes} bytes)`;
    notes.push(
      `One answer${size} stays in the remote workbench as ${path}; data_preview is only its beginning. Read it there with COMPOSIO_REMOTE_BASH_TOOL or COMPOSIO_REMOTE_WORKBENCH.`,
    );
    return {
      ...rest,
      data_preview: preview,
      remote_path: path,
      ...(bytes !== undefined && { size_bytes: bytes }),
    };
  }

  const about = data['remote_file_info'];
  const whole = await complete(data, undefined);
  const own = asObject(whole['data']);
  if (whole !== data) return { data: own ?? whole, notes };
  if (!Array.isArray(data['results'])) return { data, notes };
  const results: unknown[] = [];
  for (const item of asList(data['results'])) {
    const inner = responseOf(asObject(item)?.['response']);
    results.push(inner ? { ...asObject(item), response: await complete(inner, about) } : item);
  }
  return { data: { ...data, results }, notes };
}

function remotePathIn(info: unknown): string | undefined {
  if (typeof info === 'string') return isPath(info) ? info : undefined;
  const fields = asObject(info);
  if (!fields) return undefined;
  return PATH_FIELDS.map((name) => fields[name]).find(isPath);
}

/** What goes into a command must not end its quotes. */
function isPath(value: unknown): value is string {
  return typeof value === 'string' && /^\/[\w./ @+=:,-]{1,500}$/.test(value);
}

type Read =
  | { readonly is: 'inline'; readonly text: string }
  | { readonly is: 'remote'; readonly bytes: number | undefined };

async function readRemote(path: string, run: RunRemote): Promise<Read> {
  const { stdout } = await run(`wc -c < '${path}'`);
  const bytes = /^\s*(\d+)/.exec(stdout)?.[1];
  const size = bytes === undefined ? undefined : Number(bytes);
  if (size === undefined || size > MAX_INLINE_BYTES) return { is: 'remote', bytes: size };
  const chunks: Buffer[] = [];
  let [at, chunkBytes] = [0, FIRST_CHUNK_BYTES];
  for (let commands = 0; at < size; commands += 1) {
    if (commands >= MAX_COMMANDS || chunkBytes < MIN_CHUNK_BYTES)
      return { is: 'remote', bytes: size };
    const wanted = Math.min(chunkBytes, size - at);
    const command = `tail -c +${at + 1} '${path}' | head -c ${wanted} | base64 -w0`;
    const { stdout: encoded, isCut } = await run(command);
    const chunk = Buffer.from(encoded, 'base64');
    if (isCut || chunk.length !== wanted) chunkBytes = Math.floor(chunkBytes / 2);
    else {
      chunks.push(chunk);
      at += wanted;
    }
  }
  return { is: 'inline', text: Buffer.concat(chunks).toString('utf8') };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
