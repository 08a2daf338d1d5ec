/**
 * Servers that do less than the daemon with the same bytes: `bare` discards them; `floor` does the
 * work that cannot be left out. It hashes the file of a form and writes it to a file that is
 * synced, or parses a JSON body, decodes its base64 and hashes the bytes. `store` does the same, but
 * writes the file into SQLite, in parts and with one sync at the end.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Busboy } from '@fastify/busboy';
import Libsql from 'libsql';

export type Receiver = 'bare' | 'floor' | 'store';

/** As long as those of the daemon. */
const PART_BYTES = 1024 * 1024;

export function runReceiver(kind: Receiver): void {
  const folder = mkdtempSync(join(tmpdir(), 'exai-bench-receiver-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  process.once('SIGTERM', () => process.exit(0));
  const server = createServer((incoming, response) => {
    receive(incoming, kind, folder).then(
      () => response.end('{}'),
      (thrown: unknown) => response.writeHead(500).end(String(thrown)),
    );
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    console.log(`listening on http://127.0.0.1:${port}`);
  });
}

async function receive(incoming: IncomingMessage, kind: Receiver, folder: string): Promise<void> {
  if (kind === 'bare') {
    for await (const _ of incoming);
  } else if (incoming.headers['content-type']?.startsWith('multipart/form-data') === true) {
    await storeForm(incoming, kind === 'store' ? storeInDatabase : storeInFile, folder);
  } else await decodeBody(incoming);
}

type StoreChunks = (chunks: AsyncIterable<unknown>, folder: string) => Promise<void>;

function storeForm(incoming: IncomingMessage, store: StoreChunks, folder: string): Promise<void> {
  const type = incoming.headers['content-type'] ?? '';
  const form = new Busboy({ headers: { ...incoming.headers, 'content-type': type } });
  return new Promise((resolve, reject) => {
    form.on('error', reject);
    form.on('file', (_field, stream) => {
      store(stream, folder).then(resolve, reject);
    });
    incoming.pipe(form);
  });
}

async function storeInFile(chunks: AsyncIterable<unknown>, folder: string): Promise<void> {
  const digest = createHash('sha256');
  const handle = await open(join(folder, 'received'), 'w');
  try {
    for await (const chunk of chunks) {
      digest.update(chunk as Buffer);
      await handle.write(chunk as Buffer);
    }
    digest.digest();
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Each file in a database of its own, so that no file pays for copying an earlier one from the log. */
async function storeInDatabase(chunks: AsyncIterable<unknown>, folder: string): Promise<void> {
  const digest = createHash('sha256');
  const file = join(mkdtempSync(join(folder, 'store-')), 'files.db');
  const db = new Libsql(file);
  db.exec(`pragma journal_mode = wal; pragma synchronous = normal; pragma wal_autocheckpoint = 0;
    create table parts (at integer primary key, bytes blob)`);
  const insert = db.prepare('insert into parts values (?, ?)');
  const part = Buffer.allocUnsafeSlow(PART_BYTES);
  let filled = 0;
  let at = 0;
  const write = () => {
    insert.run([at, part.subarray(0, filled)]);
    at += filled;
    filled = 0;
  };
  for await (const chunk of chunks) {
    digest.update(chunk as Buffer);
    for (let rest = chunk as Buffer; rest.length > 0;) {
      const copied = rest.copy(part, filled);
      filled += copied;
      rest = rest.subarray(copied);
      if (filled === PART_BYTES) write();
    }
  }
  digest.digest();
  db.exec('pragma synchronous = full');
  write();
  // Closing copies the log, which the daemon does later, too.
  setImmediate(() => {
    db.close();
    rmSync(file, { force: true });
  });
}

interface DocumentBody {
  readonly messages: readonly {
    readonly content: readonly { readonly source: { readonly data: string } }[];
  }[];
}

async function decodeBody(incoming: IncomingMessage): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString()) as DocumentBody;
  const data = body.messages[0]?.content[0]?.source.data ?? '';
  createHash('sha256').update(Buffer.from(data, 'base64')).digest();
}
