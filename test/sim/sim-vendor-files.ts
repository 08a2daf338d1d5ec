import { CallError } from '#core/errors/call-error.ts';
import type { FileToUpload, Provider, ProviderContext, ProviderId } from '#core/llm/provider.ts';
import type { Capability } from '#core/llm/provider.ts';
import type { Clock } from '#core/time/clock.ts';
import { errorOf, faultKind, type Fault } from './faults.ts';
import { createPace } from './pace.ts';
import type { SeededRandom } from './random.ts';
import { extractedText } from './sim-documents.ts';
import type { UploadWatch } from './upload-watch.ts';
import { VENDOR_MODES, type VendorMode } from './vendor-modes.ts';

export interface SimVendorFilesOptions {
  readonly id: ProviderId;
  readonly clock: Clock;
  readonly random: SeededRandom;
  readonly mode: () => VendorMode;
  readonly tell: (what: string) => void;
  readonly uploads: Pick<UploadWatch, 'begin' | 'onForgotten'>;
}

type Files = Required<
  Pick<Provider, 'upload' | 'fileContent' | 'listFiles' | 'deleteFile' | 'ocr'>
>;

/** Faults that a chat alone can have. */
const OF_CHATS: readonly string[] = ['context_length', 'empty_response', 'content_filter'];
const MAX_ID = 1_000_000_000;
const FORGETS = 0.15;
const UNREADABLE = 0.05;

/** The files of a vendor that fails by its mode, and forgets some of what it was given. */
export function createSimVendorFiles(options: SimVendorFilesOptions): Files {
  const { id, clock, random, tell } = options;
  const files = new Map<string, string>();

  async function request<T>(
    operation: Capability,
    context: ProviderContext,
    work: () => Promise<T>,
  ): Promise<T> {
    const pace = createPace(context, 'whole', clock);
    const startedAt = clock.monotonic();
    let outcome: CallError['class'] | 'ok' = 'ok';
    try {
      const fault: Fault = random.pick(VENDOR_MODES[options.mode()]);
      const kind = faultKind(fault);
      tell(`${operation}, ${fault}`);
      await pace.pass(random.between(2, 120) * (fault === 'slow' ? random.between(3, 25) : 1));
      if (kind?.how === 'silence') await pace.pass(Infinity);
      if (kind?.when === 'before' && kind.how !== 'silence' && !OF_CHATS.includes(kind.how))
        throw errorOf(kind.how as CallError['class'], fault, { provider: id }, random);
      return await work();
    } catch (thrown) {
      const error = CallError.from(thrown, { provider: id });
      outcome = error.class;
      throw error;
    } finally {
      pace.end();
      const elapsedMs = clock.monotonic() - startedAt;
      context.onVendorRequest?.({ provider: id, operation, elapsedMs, outcome, vendorIds: {} });
    }
  }

  async function textOf(file: Pick<FileToUpload, 'bytes'>): Promise<string> {
    let text = '';
    for await (const piece of file.bytes()) text += Buffer.from(piece).toString('utf8');
    return extractedText(text);
  }

  return {
    async upload(file, context) {
      const text = await textOf(file);
      const end = options.uploads.begin(id, text, context.signal);
      try {
        return await request('upload', context, async () => {
          // Of another daemon, or another key, no file has the same id.
          const fileId = `${id}-${random.between(1, MAX_ID)}`;
          files.set(fileId, text);
          const { name, size, purpose } = file;
          return { id: fileId, name, size, purpose, createdAtMs: clock.now(), state: 'ready' };
        });
      } finally {
        end();
      }
    },
    fileContent: (fileId, context) =>
      request('file_content', context, async () => {
        if (random.chance(FORGETS)) files.delete(fileId);
        const text = files.get(fileId);
        if (text === undefined) {
          options.uploads.onForgotten(fileId);
          throw new CallError('not_found', 'There is no such file.', { provider: id });
        }
        return random.chance(UNREADABLE) ? '' : text;
      }),
    listFiles: (context) =>
      request('list_files', context, async () =>
        [...files.keys()].map((fileId) => ({
          id: fileId,
          name: fileId,
          size: 1,
          purpose: 'extract',
          createdAtMs: 0,
          state: 'ready' as const,
        })),
      ),
    deleteFile: (fileId, context) =>
      request('delete_file', context, async () => (files.delete(fileId) ? 'deleted' : 'absent')),
    ocr: (file, context) => request('ocr', context, async () => ({ text: await textOf(file) })),
  };
}
