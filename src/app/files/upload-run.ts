import type { UploadContext, UploadExchanges, Uploads } from '#core/files/uploads.ts';
import type { NewId } from '#core/ids.ts';
import type { AskContext } from '#core/llm/ask.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import type { Clock } from '#core/time/clock.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import type { ModelDirectory } from '#models/model-directory.ts';

export interface UploadRunDeps {
  readonly uploads: UploadExchanges;
  readonly modelDirectory: Pick<ModelDirectory, 'providers'>;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** Work about uploads that no tool has asked for. */
export interface UploadRun {
  /** Configured providers that delete files. */
  providers(): readonly ProviderId[];
  run<T>(
    provider: ProviderId,
    principal: string,
    work: (uploads: Uploads, context: UploadContext) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T>;
}

const TIMEOUT_MS = 60_000;
/** Named in the records of attempts. */
const TOOL = 'exai_files';

export function createUploadRun(deps: UploadRunDeps): UploadRun {
  const { uploads, modelDirectory, clock, newId } = deps;
  return {
    providers: () =>
      modelDirectory
        .providers()
        .filter(({ configured, can }) => configured && can.includes('delete_file'))
        .map(({ id }) => id),
    async run(provider, principal, work, signal = new AbortController().signal) {
      let attempts = 0;
      const by: AskContext = {
        reqId: newId('req'),
        tool: TOOL,
        caller: { principal, scopes: ['*'], roots: [] },
        deadline: deadlineIn(clock, TIMEOUT_MS),
        signal,
        category: 'fast_response',
        nextAttempt: () => ++attempts,
      };
      return (await uploads.run(provider, by, work)).result;
    },
  };
}
