import type { SentenceTable } from './coded-message.ts';

/** Notices about a request to the gateway: what of it was left out. */
export interface GatewayNoticeParams {
  gateway_fields_ignored: { readonly fields: readonly string[] };
  /** Tools that run at the vendor, or that only its own models know. */
  gateway_tools_dropped: { readonly types: readonly string[] };
  /** Earlier items of a conversation that no other model can read. */
  gateway_items_dropped: { readonly types: readonly string[] };
  response_not_stored: { readonly reason: 'too_large' | 'failed' };
}

export const GATEWAY_NOTICE_SENTENCES: SentenceTable<GatewayNoticeParams> = {
  gateway_fields_ignored: ({ fields }) =>
    `These fields are not supported and were ignored: ${list(fields)}.`,
  gateway_tools_dropped: ({ types }) =>
    `Tools of these types were not given to the model: ${list(types)}.`,
  gateway_items_dropped: ({ types }) =>
    `Input items of these types were not given to the model: ${list(types)}.`,
  response_not_stored: ({ reason }) =>
    reason === 'too_large'
      ? 'The response was not stored, because its input is too large.'
      : 'The response was not stored, because the store failed.',
};

function list(names: readonly string[]): string {
  return names.join(', ');
}
