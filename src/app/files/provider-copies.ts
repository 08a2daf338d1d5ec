import { CallError } from '#core/errors/call-error.ts';
import type { CopiesDeletion, ProviderCopies, ProviderCopy } from '#core/files/file-admin.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import { createUploadRun, type UploadRunDeps } from './upload-run.ts';

/** What a principal has uploaded, over all providers that keep files. */
export function createProviderCopies(deps: UploadRunDeps): ProviderCopies {
  const exchanges = createUploadRun(deps);

  /** The copies at one provider, which is not asked. */
  const copiesAt = (provider: ProviderId, principal: string) =>
    exchanges.run(provider, principal, (own, context) =>
      own.list({ provider, principal, scope: 'own' }, context),
    );

  return {
    async list(principal) {
      const found = new Map<string, ProviderCopy[]>();
      for (const provider of exchanges.providers()) {
        // A provider whose breaker is open must not hide the files themselves.
        const copies = await copiesAt(provider, principal).catch(() => []);
        for (const { sha256, fileId, purpose } of copies) {
          if (sha256 === undefined) continue;
          found.set(sha256, [...(found.get(sha256) ?? []), { provider, fileId, purpose }]);
        }
      }
      return found;
    },
    async delete(sha256, principal) {
      let deletion: CopiesDeletion = { deleted: 0, shared: 0, failed: [] };
      for (const provider of exchanges.providers()) {
        const copies = await copiesAt(provider, principal).catch((thrown: unknown) => {
          deletion = withFailure(deletion, provider, 'its copy', thrown);
          return [];
        });
        for (const { fileId } of copies.filter((copy) => copy.sha256 === sha256)) {
          deletion = await deleteOne(provider, fileId, principal, deletion);
        }
      }
      return deletion;
    },
  };

  async function deleteOne(
    provider: ProviderId,
    fileId: string,
    principal: string,
    before: CopiesDeletion,
  ): Promise<CopiesDeletion> {
    try {
      const end = await exchanges.run(provider, principal, (own, context) =>
        own.delete(fileId, { provider, principal, scope: 'own' }, context),
      );
      return end === 'shared'
        ? { ...before, shared: before.shared + 1 }
        : { ...before, deleted: before.deleted + 1 };
    } catch (thrown) {
      return withFailure(before, provider, fileId, thrown);
    }
  }
}

function withFailure(
  before: CopiesDeletion,
  provider: ProviderId,
  fileId: string,
  thrown: unknown,
): CopiesDeletion {
  const { message: error } = CallError.from(thrown);
  return { ...before, failed: [...before.failed, { provider, fileId, error }] };
}
