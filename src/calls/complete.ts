import { CallError } from '#core/call-error.ts';
import type { Caller } from '#core/call.ts';
import type { CompletionRequest } from '#core/calls.ts';
import { oneLine } from '#core/one-line.ts';
import { decideOffer } from './decide-offer.ts';
import type { Library } from './library.ts';
import type { Registry } from './registry.ts';

const MAX_NAME_CHARS = 128;

/** What would fit an argument of a prompt, or a part of a resource's address. */
export async function complete(
  caller: Caller,
  { of, argument, value, args }: CompletionRequest,
  { library, registry }: { readonly library: Library; readonly registry: Registry },
): Promise<readonly string[]> {
  const offer = 'prompt' in of ? library.prompt(of.prompt) : library.template(of.template);
  if (!offer || decideOffer(caller, offer, registry).verdict === 'deny') {
    const [kind, name] =
      'prompt' in of ? ['prompt', of.prompt] : ['resource template', of.template];
    throw new CallError('not_found', `There is no ${kind} "${oneLine(name, MAX_NAME_CHARS)}".`, {
      field: 'ref',
    });
  }
  if (!Object.hasOwn(offer.complete, argument)) return [];
  return (await offer.complete[argument]?.(value, args, caller)) ?? [];
}
