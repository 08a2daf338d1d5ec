import type { UploadExchanges, Uploads } from '#core/files/uploads.ts';
import type { CallStore } from '#core/stores/calls.ts';
import type { Log, Metrics } from '#core/telemetry/telemetry.ts';
import { assumeModel } from '#models/assume-model.ts';
import { createAskObserver } from '../run/ask-observer.ts';
import { createLedger, recordUsage } from '../run/ledger.ts';
import { exchangeReport } from './exchange-report.ts';
import { runExchange, type ExchangeDeps } from './run-exchange.ts';

export interface UploadExchangesDeps extends ExchangeDeps {
  readonly uploads: Uploads;
  readonly spend: CallStore['recordUsage'];
  readonly log: Log;
  readonly crumbs: Log;
  readonly metrics: Metrics;
}

/** The name of a provider's files in attempts and breakers, in the place of a model. */
const FILES = 'files';

export function createUploadExchanges(deps: UploadExchangesDeps): UploadExchanges {
  const { clock, uploads } = deps;
  const observer = createAskObserver(deps.crumbs, deps.metrics);
  return {
    async run(provider, by, work) {
      const ledger = createLedger(by, clock, observer);
      const target = assumeModel(FILES, provider);
      try {
        const result = await runExchange(
          { target, work: (context) => work(uploads, context) },
          by,
          ledger,
          deps,
        );
        return { result, report: exchangeReport(provider, ledger) };
      } finally {
        recordUsage(ledger, by, deps);
      }
    },
  };
}
