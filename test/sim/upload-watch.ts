import type { ProviderId } from '#core/llm/provider.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import { descriptorOf } from '#core/providers/list.ts';
import type { Disk } from './disk.ts';
import type { Simulation } from './simulation.ts';

export interface UploadWatch {
  /** An upload begins; what it returns is called at its end. */
  begin(provider: ProviderId, content: string, signal: AbortSignalLike): () => void;
  /** The daemon is told that the vendor does not have a file. */
  onForgotten(fileId: string): void;
  /** At rest: no upload is running, and no forgotten file is in the cache. */
  checkRest(): void;
}

/** Watches the uploads of one daemon: one for each content at a time, and no more than are allowed. */
export function createUploadWatch(
  simulation: Simulation,
  { files }: Pick<Disk, 'files'>,
): UploadWatch {
  let running = 0;
  /** Those that a caller waits for. */
  const wanted = new Set<{ readonly provider: ProviderId; readonly content: string }>();
  const forgotten = new Set<string>();

  return {
    begin(provider, content, signal) {
      const upload = { provider, content };
      const others = [...wanted].filter((other) => other.provider === provider);
      if (others.some((other) => other.content === content))
        simulation.violate('uploads', `${provider} gets "${content}" twice at once`);
      const { parallel = 1 } = descriptorOf(provider).uploads ?? {};
      if (others.length >= parallel)
        simulation.violate('uploads', `${provider} gets more than ${parallel} files at once`);
      wanted.add(upload);
      running += 1;
      const onAbort = () => void wanted.delete(upload);
      signal.addEventListener('abort', onAbort, { once: true });
      return () => {
        signal.removeEventListener('abort', onAbort);
        wanted.delete(upload);
        running -= 1;
      };
    },
    onForgotten: (fileId) => void forgotten.add(fileId),
    checkRest() {
      if (running > 0) simulation.violate('left-behind', `${running} uploads run for no caller`);
      const held = [...files.rows.values()].find((row) => forgotten.has(row.providerFileId));
      if (held)
        simulation.violate('uploads', `${held.providerFileId} is in the cache, and is forgotten`);
    },
  };
}
