import { PRESETS } from '#core/providers/presets/presets.ts';
import { variable, type Environment } from '../environment.ts';

/** A key of a vendor that EX-AI does not use unasked. */
export interface OtherVendorKey {
  readonly env: string;
  readonly vendor: string;
  /** The preset to add it with, if there is one. */
  readonly preset?: string;
}

/** Variables by which programs find their keys. They are named, and never used unasked. */
const OTHER_VENDOR_KEYS: readonly OtherVendorKey[] = [
  ...PRESETS.flatMap(({ id, title, keyEnv }) =>
    keyEnv.map((env) => ({ env, vendor: title, preset: id })),
  ),
  { env: 'COHERE_API_KEY', vendor: 'Cohere' },
  { env: 'PERPLEXITY_API_KEY', vendor: 'Perplexity' },
];

/** The keys of other vendors that an environment has; names alone. */
export function findOtherVendorKeys(env: Environment): readonly OtherVendorKey[] {
  return OTHER_VENDOR_KEYS.filter(({ env: name }) => variable(env, name) !== undefined);
}

/** `OPENAI_API_KEY (OpenAI), GROQ_API_KEY (Groq)`; empty if there is none. */
export function describeOtherVendorKeys(env: Environment): string {
  return findOtherVendorKeys(env)
    .map(({ env: name, vendor }) => `${name} (${vendor})`)
    .join(', ');
}

/** How such keys are used on purpose. */
export function useOtherVendorKeys(env: Environment): string {
  const [first] = findOtherVendorKeys(env).filter(({ preset }) => preset !== undefined);
  return first
    ? `To use one: exai providers add ${first.preset} --key-env ${first.env}`
    : 'To use one: exai providers add NAME --url its OpenAI-compatible address';
}
