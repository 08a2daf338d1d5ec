import { findChangedSettings, type ChangedSetting } from '#config/load/changed-settings.ts';
import type { LoadedConfig } from '#config/load/load.ts';
import type { Breakers } from '#resilience/breaker-types.ts';
import type { AdminMethods } from '#transport/admin/admin-methods.ts';
import type { RunningManager } from '../manager/open-manager.ts';
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

/** For the owner: settings that were changed since the start, and accounts that work again. */
export function accountMethods(
  loaded: LoadedConfig,
  manager: Pick<RunningManager, 'liftCoolDowns' | 'breakers'>,
): AdminMethods {
  return {
    [CHANGED_SETTINGS_METHOD]: async (): Promise<ChangedSettingsAnswer> => ({
      changed: findChangedSettings(loaded),
    }),
    [WAITING_METHOD]: async (): Promise<WaitingAnswer> => ({
      accounts: waitingAccounts(manager.breakers),
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
