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
 * Metadata of a setting beside its type, used by the loader, masking, keys, docs and .env.example.
 */
export interface SettingMeta {
  /**
   * Its variables; the first one that is set wins. The default is EXAI_ and the path:
   * `log.maxBytes` is EXAI_LOG_MAX_BYTES.
   */
  readonly env?: readonly string[];
  readonly old?: readonly OldName[];
  /** `whole`: never shown. `password`: a URL, shown without its password. */
  readonly secret?: 'whole' | 'password';
  readonly key?: KeyMeta;
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
