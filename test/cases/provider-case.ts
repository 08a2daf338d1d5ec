import { describe } from 'vitest';
import { abilityCases } from './provider-capabilities.ts';
import { badInputCases } from './provider-bad-input.ts';
import { byteCases } from './provider-bytes.ts';
import { chatCases } from './provider-chat.ts';
import { keyCases } from './provider-keys.ts';
import { pictureCases } from './provider-pictures.ts';
import { releaseCases } from './provider-released.ts';
import { providerSuite } from './provider-suite.ts';
import { thinkingCases } from './provider-thinking.ts';
import type { ProviderSubject } from './provider-under-test.ts';

/** What holds for every provider that speaks to a vendor, over real HTTP. */
export function providerCase(subject: ProviderSubject): void {
  describe(`${subject.name}`, () => {
    const suite = providerSuite(subject);
    chatCases(suite);
    byteCases(suite);
    thinkingCases(suite);
    pictureCases(suite);
    abilityCases(suite);
    badInputCases(suite);
    keyCases(suite);
    releaseCases(suite);
  });
}
