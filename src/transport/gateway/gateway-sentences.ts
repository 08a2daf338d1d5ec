import type { CallError } from '#core/call-error.ts';
import type { Renderer } from '#core/messages/coded.ts';
import { createRenderer } from '#core/messages/render.ts';
import { asWritten, type WrittenNames } from './written-field.ts';

/** The texts of a gateway, with the names that its clients have for the members of a request. */
export function gatewayRenderer(names: WrittenNames): Renderer {
  return createRenderer({
    argument(name, value) {
      const written = asWritten(name, names);
      return value === undefined ? written : `${written}: ${value}`;
    },
    fixes: {
      list_models: () => 'list the models with GET /v1/models',
    },
  });
}

/** What went wrong and what to do about it. */
export function gatewayMessage(error: CallError, renderer: Renderer): string {
  const fix = renderer.fixes(error.fixes);
  return fix === '' ? renderer.message(error) : `${renderer.message(error)} ${fix}`;
}
