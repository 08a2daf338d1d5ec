import { findChangedSettings, type ChangedSetting } from '#config/load/changed-settings.ts';
import type { LoadedConfig } from '#config/load/load.ts';
import { isExtractive } from '#core/providers/extractive.ts';
import type { Breakers } from '#resilience/breaker-types.ts';
import type { AdminMethods } from '#transport/admin/admin-methods.ts';
import type { FailingProvider } from '../manager/failing-providers.ts';
import type { ModelSide } from '../manager/model-side.ts';
import { LIFT_METHOD, readLiftParams, type LiftResult } from './lift-cool-downs.ts';

/** Lists the settings that were changed after the daemon loaded them. */
export const CHANGED_SETTINGS_METHOD = 'exai/config/changed';

export interface ChangedSettingsAnswer {
  readonly changed: readonly ChangedSetting[];
}

/** Lists the accounts that the daemon does not use because their key or balance was refused. */
export const WAITING_METHOD = 'exai/accounts/waiting';

export interface WaitingAccount {
  readonly provider: string;
  /** Until it is tried again; 0: with the next request. */
  readonly retryInMs: number;
}

export interface WaitingAnswer {
  readonly accounts: readonly WaitingAccount[];
}

/** Lists the providers that failed the last request to them. */
export const FAILING_METHOD = 'exai/providers/failing';

export interface FailingAnswer {
  readonly providers: readonly FailingProvider[];
  /** Whether any provider is set up; an older daemon does not say. */
  readonly hasModels?: boolean;
}

/** For the owner: settings that were changed since the start, and accounts that work again. */
export function accountMethods(
  loaded: LoadedConfig,
  manager: Pick<ModelSide, 'liftCoolDowns' | 'breakers' | 'failingProviders' | 'modelDirectory'>,
): AdminMethods {
  return {
    [CHANGED_SETTINGS_METHOD]: async (): Promise<ChangedSettingsAnswer> => ({
      changed: findChangedSettings(loaded),
    }),
    [WAITING_METHOD]: async (): Promise<WaitingAnswer> => ({
      accounts: waitingAccounts(manager.breakers),
    }),
    [FAILING_METHOD]: async (): Promise<FailingAnswer> => ({
      providers: manager.failingProviders(),
      hasModels: manager.modelDirectory
        .providers()
        .some(({ id, configured }) => configured && !isExtractive(id)),
    }),
    [LIFT_METHOD]: async (params): Promise<LiftResult> => {
      const { provider, account } = readLiftParams(params);
      return manager.liftCoolDowns(provider, account);
    },
  };
}

/** Only a refused key, missing payment and a used-up allowance block a whole account. */
export function waitingAccounts(breakers: Pick<Breakers, 'all'>): readonly WaitingAccount[] {
  return breakers.all().flatMap(({ key, is, retryInMs = 0 }): WaitingAccount[] => {
    const isAccount = !key.includes('/');
    return isAccount && is !== 'closed' ? [{ provider: key, retryInMs }] : [];
  });
}
