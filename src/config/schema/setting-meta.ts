import * as z from 'zod';

/**
 * A variable of the original EX-AI, still supported. Some of them are in seconds where ours are in
 * milliseconds.
 */
export interface OldName {
  readonly name: string;
  readonly unit?: 'seconds';
}

/** A key that `exai keys` manages. */
export interface KeyMeta {
  readonly name: string;
  readonly title: string;
  /** Where to get one. */
  readonly where: string;
  /** No feature uses it yet: it is accepted and stored, and listed only where it is set. */
  readonly unused?: true;
}

/**
 * Why a setting needs a restart: the part of the daemon that keeps the value it was started with.
 * `owner_token`: the token is replaced by `exai token rotate`, not by a reload.
 */
export type RestartReason =
  | 'listener'
  | 'store'
  | 'tracing'
  | 'authentication'
  | 'shutdown'
  | 'owner_token';

/** When a changed value takes effect in a running daemon. */
export type Applies =
  | { readonly at: 'reload' }
  | { readonly at: 'restart'; readonly reason: RestartReason };

export const AT_RELOAD: Applies = { at: 'reload' };

export function atRestart(reason: RestartReason): Applies {
  return { at: 'restart', reason };
}

/**
 * Metadata of a setting beside its type, used by the loader, masking, keys, docs and .env.example.
 */
export interface SettingMeta {
  /** Used by the reload, `exai doctor`, `exai config set` and the documentation. */
  readonly applies: Applies;
  /**
   * Its variables; the first one that is set wins. The default is EXAI_ and the path:
   * `log.maxBytes` is EXAI_LOG_MAX_BYTES.
   */
  readonly env?: readonly string[];
  readonly old?: readonly OldName[];
  /** `whole`: never shown. `password`: a URL, shown without its password. */
  readonly secret?: 'whole' | 'password';
  readonly key?: KeyMeta;
  /**
   * `disable`: a variable that `${NAME}` refers to and that is not set disables the entry, with a
   * notice. By default it is an error.
   */
  readonly missingReference?: 'disable';
  /** A list of paths: separated like PATH in a variable, and with `~` for the user's folder. */
  readonly paths?: true;
  /**
   * Why the setting has no effect, as a clause. It is still accepted, so that stored configurations
   * load.
   */
  readonly deprecated?: string;
  /** Text for the documentation, where the default depends on the machine. */
  readonly defaultText?: string;
}

export const settingMeta = z.registry<SettingMeta>();
