import { listKeys } from '#config/keys.ts';
import { CallError } from '#core/call-error.ts';
import { findProvider } from '#core/providers/list.ts';
import type { ExhaustedBalance } from '#core/ops.ts';
import { USAGE_METHODS, type SpendingReport } from '#core/usage-report.ts';
import type { Check, Examine } from './check.ts';
import { askRunning, type Question } from './ask-running.ts';

/** What a running daemon knows of the accounts that it asked: who refused its key, or wants money. Nobody is asked anew. */
export const accounts: Examine = async (patient) => {
  const { loaded } = patient;
  if (loaded instanceof CallError) return [];
  const found = await askRunning(patient, findAccounts);
  if (!found) return [];
  return listKeys(loaded).flatMap(({ name, title, set }): Check[] => {
    // The account of a key that is gone concerns nobody.
    if (!found.resting.includes(name) || !(set || findProvider(name)?.needs === 'address'))
      return [];
    const lacks = found.exhausted.find(({ provider }) => provider === name)?.errorClass;
    return [accountCheck({ name, title }, lacks)];
  });
};

export interface AccountsFinding {
  /** Accounts that are left alone for a while. */
  readonly resting: readonly string[];
  /** Those of them that want money. */
  readonly exhausted: readonly ExhaustedBalance[];
}

/** Only a refused key and missing money stop a whole account. */
async function findAccounts(ask: Question): Promise<AccountsFinding> {
  const health = { name: 'health', arguments: { tail_lines: 0 } };
  const resting = restingAccounts(await ask('tools/call', health));
  if (resting.length === 0) return { resting, exhausted: [] };
  const { exhausted } = (await ask(USAGE_METHODS.spending, {})) as SpendingReport;
  return { resting, exhausted };
}

interface HealthResult {
  readonly structuredContent?: {
    readonly content?: { readonly breakers?: readonly { key: string; state: string }[] } | null;
  };
}

export function restingAccounts(result: unknown): readonly string[] {
  const { structuredContent } = result as HealthResult;
  const breakers = structuredContent?.content?.breakers ?? [];
  return breakers.flatMap(({ key, state }) => {
    const isAccount = !key.includes('/');
    return isAccount && state !== 'closed' ? [key] : [];
  });
}

export function accountCheck(
  { name, title }: { readonly name: string; readonly title: string },
  lacks: ExhaustedBalance['errorClass'] | undefined,
): Check {
  const check = { id: `account_${name}`, title: 'Account', status: 'warn' } as const;
  const test = `exai keys test ${name}`;
  if (lacks === undefined) {
    const detail = `${title} refused the key when it was last asked`;
    return { ...check, detail, fix: test };
  }
  const did = lacks === 'billing' ? 'wanted payment' : 'had no allowance left';
  const detail = `${title} ${did} when it was last asked`;
  return { ...check, detail, fix: `Top it up at the provider, then: ${test}` };
}
