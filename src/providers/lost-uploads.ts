import { createBoundedMap } from '#core/bounded-map.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import type {
  FileToUpload,
  Provider,
  ProviderContext,
  ProviderFile,
  VendorRequestRecord,
} from '#core/llm/provider.ts';
import { LightAbortController } from '#core/net/abort.ts';
import type { Clock } from '#core/time/clock.ts';
import { deadlineIn } from '#core/time/deadline.ts';

type Files = Required<Pick<Provider, 'upload' | 'listFiles' | 'deleteFile'>>;

/** After these, the vendor may have stored a file that was sent whole. */
const WITHOUT_ANSWER: ReadonlySet<ErrorClass> = new Set<ErrorClass>([
  'network',
  'timeout',
  'cancelled',
  'bad_response',
]);
/** The time for finding and deleting it; also after a cancellation. */
const CLEAN_UP_MS = 5_000;
/** Vendors count in seconds, and their clocks differ a little. */
const SKEW_MS = 5_000;
const MAX_KNOWN = 1_000;

/**
 * An upload that leaves nothing at the vendor if its answer is lost: no list of ours would have the
 * file, and a retry would store a second one. It is found by its name, its size and its time.
 */
export function withoutLostUploads(files: Files, clock: Clock): Files['upload'] {
  /** Ids of other uploads, which may have the same name and size. */
  const known = createBoundedMap<string, true>({ maxEntries: MAX_KNOWN });

  async function deleteLost(
    { name, size }: FileToUpload,
    sinceMs: number,
    context: ProviderContext,
  ): Promise<void> {
    const own: ProviderContext = {
      signal: new LightAbortController(),
      deadline: deadlineIn(clock, CLEAN_UP_MS),
      ...(context.onVendorRequest && {
        onVendorRequest: (record: VendorRequestRecord) => context.onVendorRequest?.(record),
      }),
    };
    const isLost = (file: ProviderFile) =>
      file.name === name.toWellFormed() &&
      file.size === size &&
      file.createdAtMs >= sinceMs - SKEW_MS &&
      !known.has(file.id);
    const lost = (await files.listFiles(own)).filter(isLost);
    for (const { id } of lost) await files.deleteFile(id, own);
  }

  return async (file, context) => {
    const sinceMs = clock.now();
    let isWhole = false;
    async function* bytes() {
      isWhole = false;
      yield* file.bytes();
      isWhole = true;
    }
    try {
      const uploaded = await files.upload({ ...file, bytes }, context);
      known.set(uploaded.id, true);
      return uploaded;
    } catch (thrown) {
      const mayBeStored = isWhole && WITHOUT_ANSWER.has(CallError.from(thrown).class);
      // The caller gets the error that led here.
      if (mayBeStored) await deleteLost(file, sinceMs, context).catch(() => undefined);
      throw thrown;
    }
  };
}
