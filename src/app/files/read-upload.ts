import { CallError } from '#core/errors/call-error.ts';
import type { IntakeContext } from '#core/files/file-intake.ts';
import type { UploadExchanges } from '#core/files/uploads.ts';
import type { NewId } from '#core/ids.ts';
import type { AskContext } from '#core/llm/ask.ts';
import type { UploadedText } from '#files/intake/file-reader.ts';
import type { ModelDirectory } from '#models/model-directory.ts';

export interface ReadUploadDeps {
  readonly uploads: UploadExchanges;
  readonly modelDirectory: Pick<ModelDirectory, 'providers'>;
  readonly newId: NewId;
}

/** Named in the records of attempts. */
const TOOL = 'files';

/**
 * Reads a file by the id that a provider gave it: the text that is known, else the one that the
 * provider has. Undefined for a file that the caller has not uploaded itself.
 */
export function createReadUpload({ uploads, modelDirectory, newId }: ReadUploadDeps) {
  return async (id: string, context: IntakeContext): Promise<UploadedText | undefined> => {
    const { caller, deadline, signal } = context;
    const { principal } = caller;
    let attempts = 0;
    const by: AskContext = {
      reqId: newId('req'),
      tool: TOOL,
      caller,
      deadline,
      signal,
      category: 'fast_response',
      nextAttempt: () => (attempts += 1),
    };
    const able = modelDirectory
      .providers()
      .filter(({ configured, can }) => configured && can.includes('file_content'));
    for (const { id: provider } of able) {
      try {
        const { result } = await uploads.run(provider, by, (own, inner) =>
          own.textOf(id, { provider, principal, scope: 'own' }, inner),
        );
        return result;
      } catch (thrown) {
        if (CallError.from(thrown).class !== 'not_found') throw thrown;
      }
    }
    return undefined;
  };
}
