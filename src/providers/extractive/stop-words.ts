import { wordHashes } from './tokenize.ts';

const WORDS = `a about above after again all also am an and any are as at be because been before being below between both but by
can could did do does doing down during each few for from further had has have having he her here hers him his how i if in into
is it its itself just let like me more most my no nor not now of off on once only or other our out over own please same say she
should so some such tell than that the their them then there these they this those through to too under until up us very was we
were what when where which while who whom why will with would you your yours file files document documents text message
的 了 是 在 和 有 我 你 他 她 它 这 那 们 吗 呢 什么 怎么 如何 多少 哪里 为什么 请问 一个
です ます した する この その あの ます か 이 그 저 는 은 을 를 에 의`;

/** Hashes of words that are too common to search for. */
export const STOP_WORDS: ReadonlySet<number> = new Set(wordHashes(WORDS));
