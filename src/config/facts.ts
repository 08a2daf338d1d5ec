import * as z from 'zod';

/** A name of the originals, still understood. Theirs were in seconds where ours are in milliseconds. */
export interface OldName {
  readonly name: string;
  readonly unit?: 'seconds';
}

/** A key that `exai keys` manages. */
export interface KeyFacts {
  readonly name: string;
  readonly title: string;
  /** Where to get one. */
  readonly where: string;
  /** No feature uses it: it is accepted and stored, and shown only where it is set. */
  readonly unused?: true;
}

/** What a setting is besides its type: from this follow loader, masks, keys, docs and .env.example. */
export interface SettingFacts {
  /** Its variables, the first one winning. Without any it is EXAI_ and the path: `log.maxBytes` is EXAI_LOG_MAX_BYTES. */
  readonly env?: readonly string[];
  readonly old?: readonly OldName[];
  /** `whole`: never shown. `password`: a URL that may carry one, shown without it. */
  readonly secret?: 'whole' | 'password';
  readonly key?: KeyFacts;
  /** A list of paths: in a variable separated as PATH is, and `~` means the user's folder. */
  readonly paths?: true;
  /** Accepted and without effect, so that stored configurations keep loading: why, as part of a sentence. */
  readonly deprecated?: string;
  /** In place of a default that depends on the machine. */
  readonly defaultText?: string;
}

export const facts = z.registry<SettingFacts>();
