export type ChatEnd =
  | { readonly is: 'answered' }
  | { readonly is: 'wrong' }
  | { readonly is: 'failed'; readonly class: string };

/** Has a model say a text exactly, through the gateway. */
export async function chatThrough(
  url: string,
  text: string,
  how: 'stream' | 'json',
): Promise<ChatEnd> {
  const messages = [{ role: 'user', content: `Say exactly: ${text}` }];
  try {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'auto', messages, stream: how === 'stream' }),
    });
    const body = await response.text();
    if (!response.ok) return { is: 'failed', class: String(response.status) };
    const said = how === 'stream' ? textOfStream(body) : textOfJson(body);
    if (said === undefined) return { is: 'failed', class: 'interrupted' };
    return { is: said === text ? 'answered' : 'wrong' };
  } catch (thrown) {
    return { is: 'failed', class: String(thrown) };
  }
}

interface Completion {
  readonly choices?: readonly {
    readonly message?: { readonly content?: string };
    readonly delta?: { readonly content?: string | null };
  }[];
}

function textOfJson(body: string): string {
  return (JSON.parse(body) as Completion).choices?.[0]?.message?.content ?? '';
}

/** Undefined if it does not end as it should. */
function textOfStream(body: string): string | undefined {
  const events = body
    .split('\n')
    .flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
  if (events.at(-1) !== '[DONE]') return undefined;
  return events
    .slice(0, -1)
    .map((event) => (JSON.parse(event) as Completion).choices?.[0]?.delta?.content ?? '')
    .join('');
}
