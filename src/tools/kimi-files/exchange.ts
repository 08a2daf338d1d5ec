import type { UploadContext, UploadExchanges, Uploads } from '#core/files/uploads.ts';
import type { AskReport } from '#core/llm/ask.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import type { ToolContext } from '#core/tools/tool.ts';
import { isMachineOwner } from '../reporting/visibility.ts';
import { exchangeContext } from '../shared/exchange-context.ts';

/** The requests of one call about files of a provider, with their reports for the envelope. */
export interface FileExchanges {
  run<T>(work: (uploads: Uploads, context: UploadContext) => Promise<T>): Promise<T>;
  /** Of every request that succeeded. */
  readonly reports: readonly AskReport[];
}

export function createFileExchanges(
  uploads: UploadExchanges,
  provider: ProviderId,
  context: ToolContext,
): FileExchanges {
  const by = exchangeContext(context);
  const reports: AskReport[] = [];
  return {
    reports,
    async run(work) {
      const { result, report } = await uploads.run(provider, by, work);
      reports.push(report);
      return result;
    },
  };
}

/** Whose files a caller may see: the owner those of the account, a client its own. */
export function uploadOwner(provider: ProviderId, { caller }: Pick<ToolContext, 'caller'>) {
  const scope = isMachineOwner(caller) ? ('account' as const) : ('own' as const);
  return { provider, principal: caller.principal, scope };
}
