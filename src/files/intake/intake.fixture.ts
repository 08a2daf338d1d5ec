import type { Caller } from '#core/calls/call.ts';
import type { FileIntake, IntakeContext, LoadedFiles } from '#core/files/file-intake.ts';
import { createIds } from '#core/ids.ts';
import type { FileInput } from '#core/files/file-input.ts';
import type { FileStore } from '#core/stores/files.ts';
import type { Store } from '#core/stores/store.ts';
import { createExtractionPool, type ExtractionPool } from '#extract/pool/extraction-pool.ts';
import { isAbsolute, resolve } from 'node:path';
import { openThreads } from '../../../test/open-threads.ts';
import { createWorkspaceBench, type WorkspaceBench } from '../workspace.fixture.ts';
import { createFileIntake, type FileIntakeDeps } from './create-file-intake.ts';

export interface IntakeBench extends Pick<
  WorkspaceBench,
  'write' | 'root' | 'base' | 'link' | 'workspace'
> {
  readonly intake: FileIntake;
  readonly files: FileStore;
  readonly store: Store;
  readonly caller: (principal?: string) => IntakeContext;
  /** Loads as the owner; fails if the client would be asked for its roots. */
  readonly load: (
    inputs: readonly FileInput[],
    options?: Partial<Parameters<FileIntake['load']>[1]>,
    context?: IntakeContext,
  ) => Promise<LoadedFiles>;
  readonly with: (deps: Partial<FileIntakeDeps>) => FileIntake;
  /** How many documents the extractor was given. */
  readonly extracted: () => number;
  close(): Promise<void>;
}

/** An intake over a real folder, a real store and real extraction threads. */
export async function openIntake(): Promise<IntakeBench> {
  const bench = createWorkspaceBench();
  const opened = await openThreads({ clock: bench.clock });
  const { store, clock } = opened;
  let seed = 0;
  const newId = createIds(clock, (bytes) => new Uint8Array(bytes).fill(++seed));
  let pool: ExtractionPool | undefined;
  let extracted = 0;
  const deps: FileIntakeDeps = {
    workspace: bench.workspace,
    files: store.files,
    clock,
    newId,
    secrets: 'warn',
    async extractor() {
      const shared = (pool ??= createExtractionPool({ clock, threads: 1 }));
      return {
        extract(...args) {
          extracted += 1;
          return shared.extract(...args);
        },
      };
    },
    folders: {
      find: () => ({ roots: [bench.root] }),
      ownership: () => ({ isOwner: true }),
      place: (path, [root = '/']) => (isAbsolute(path) ? path : resolve(root, path)),
      shorten: (path, [root = '/']) =>
        path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path,
      dropAmbiguous: (paths) => ({ paths, notices: [] }),
    },
  };
  const caller = (principal = 'local'): IntakeContext => ({
    caller: { principal, roots: [bench.root] } as unknown as Caller,
    signal: bench.reader.signal,
    deadline: bench.reader.deadline,
    answers: {},
    clientCapabilities: [],
  });
  const intake = createFileIntake(deps);
  return {
    write: bench.write,
    link: bench.link,
    workspace: bench.workspace,
    root: bench.root,
    base: bench.base,
    intake,
    files: store.files,
    store,
    caller,
    async load(inputs, options = {}, context = caller()) {
      const loaded = await intake.load(inputs, { field: 'files', ...options }, context);
      if ('inputRequests' in loaded) throw new Error('the client was asked for its roots');
      return loaded;
    },
    with: (changed) => createFileIntake({ ...deps, ...changed }),
    extracted: () => extracted,
    async close() {
      await pool?.close();
      await opened.close();
    },
  };
}
