import type { Headers, Reply } from '../vendor.ts';

/** The code is the HTTP status, as a number. */
export interface RoutedError {
  readonly code: number;
  readonly message: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds?: number;
}

export const errorBody = ({ code, message, metadata }: RoutedError, userId?: string): object => ({
  error: { message, code, ...(metadata === undefined ? {} : { metadata }) },
  ...(userId === undefined ? {} : { user_id: userId }),
});

export function refuse(reply: Reply, error: RoutedError): Promise<void> {
  const headers: Headers =
    error.retryAfterSeconds === undefined ? {} : { 'retry-after': String(error.retryAfterSeconds) };
  return reply.json(error.code, errorBody(error), headers);
}

export const bad = (message: string, metadata?: RoutedError['metadata']): RoutedError => ({
  code: 400,
  message,
  ...(metadata === undefined ? {} : { metadata }),
});

export const NO_CREDIT: RoutedError = {
  code: 402,
  message: 'Insufficient credits. Add more using https://openrouter.ai/settings/credits',
  metadata: { error_type: 'payment_required' },
};

export const noProvider = (model: string): RoutedError => ({
  code: 503,
  message: `No provider is available that fits the request for ${model}.`,
  metadata: { error_type: 'provider_unavailable' },
  retryAfterSeconds: 1,
});
