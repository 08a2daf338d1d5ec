import { isObject } from './is-object.ts';
import type { Vendor } from './vendor.ts';

export type SwitchValue = string | number | boolean;

/**
 * Switches with their defaults. A name in `choices` takes only those values; another takes whatever
 * has the type of its default. A wrong value throws, so that no test runs with a switch that means
 * nothing.
 */
export function createSwitches<S extends Record<string, SwitchValue>>(
  defaults: S,
  choices: { readonly [K in keyof S]?: readonly S[K][] } = {},
): { readonly switches: S; reset(): void } {
  const values: Record<string, SwitchValue> = { ...defaults };
  const switches = {} as S;
  for (const name of Object.keys(defaults)) {
    const allowed: readonly SwitchValue[] | undefined = choices[name];
    Object.defineProperty(switches, name, {
      enumerable: true,
      get: () => values[name],
      set(value: SwitchValue) {
        if (typeof value !== typeof defaults[name])
          throw new Error(`${name}: a ${typeof defaults[name]} is needed.`);
        if (allowed !== undefined && !allowed.includes(value))
          throw new Error(`${name}: "${String(value)}" is none of ${allowed.join(', ')}.`);
        values[name] = value;
      },
    });
  }
  Object.preventExtensions(switches);
  return { switches, reset: () => void Object.assign(values, defaults) };
}

/** `{"kimi": {"legacyCache": true}}`; throws a sentence that names what is wrong. */
export function setSwitches(vendors: readonly Vendor[], wanted: unknown): void {
  if (!isObject(wanted))
    throw new Error('Switches are an object such as {"kimi":{"legacyCache":true}}.');
  for (const [name, requested] of Object.entries(wanted)) {
    const vendor = vendors.find((one) => one.name === name);
    if (vendor === undefined)
      throw new Error(
        `There is no vendor "${name}"; there are ${vendors.map((one) => one.name).join(', ') || 'none'}.`,
      );
    if (!isObject(requested)) throw new Error(`${name}: an object of switches is needed.`);
    const switches = vendor.switches as Record<string, unknown>;
    for (const [key, value] of Object.entries(requested)) {
      if (!Object.hasOwn(switches, key))
        throw new Error(
          `${name} has no switch "${key}"; it has ${Object.keys(switches).join(', ') || 'none'}.`,
        );
      if (typeof value !== typeof switches[key])
        throw new Error(`${name}.${key}: a ${typeof switches[key]} is needed.`);
      switches[key] = value;
    }
  }
}

export function listSwitches(vendors: readonly Vendor[]): Record<string, object> {
  return Object.fromEntries(vendors.map((vendor) => [vendor.name, { ...vendor.switches }]));
}
