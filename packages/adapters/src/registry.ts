import {
  BrowserError,
  type BrowserProvider,
  type ProviderKind,
  SecretRef,
  type SecretResolver,
} from '@wheelhouse/contracts';
import { createCamofoxProvider } from './camofox/provider.ts';
import { createNoneProvider } from './none/provider.ts';
import type { Dispatcher } from './policy/egress.ts';
import type { Redactor } from './policy/redact/index.ts';

/** A provider as far as its adapter needs it. */
export interface ConfiguredProvider {
  readonly name: string;
  readonly kind: ProviderKind;
  readonly baseUrl: string | null;
  readonly secretRef: SecretRef | null;
  /** `apiKeyRef`: reference of `CAMOFOX_API_KEY`, where the server has one. */
  readonly config: Readonly<Record<string, unknown>>;
}

/** What adapters are given by the house. */
export interface AdapterNeeds {
  readonly resolveSecret: SecretResolver;
  readonly redactor: Redactor;
  readonly dispatcher: Dispatcher;
}

/** The adapter of a configured provider. The one list of kinds; no kind stands in for another. */
export function createProvider(provider: ConfiguredProvider, needs: AdapterNeeds): BrowserProvider {
  switch (provider.kind) {
    case 'none':
      return createNoneProvider();
    case 'camofox': {
      const { baseUrl } = provider;
      if (baseUrl === null) throw new BrowserError('invalid_config', `the provider ${provider.name} has no address`);
      const keyOf = (ref: SecretRef | null) => async () => {
        if (ref === null) return undefined;
        const value = await needs.resolveSecret(ref);
        needs.redactor.learn(value);
        return value;
      };
      const apiKeyRef = SecretRef.safeParse(provider.config['apiKeyRef']);
      const accessKey = keyOf(provider.secretRef);
      return createCamofoxProvider({
        baseUrl,
        dispatcher: needs.dispatcher,
        redactor: needs.redactor,
        accessKey,
        apiKey: apiKeyRef.success ? keyOf(apiKeyRef.data) : accessKey,
      });
    }
    case 'cdp':
    case 'remote':
      throw new BrowserError('no_provider', `providers of kind ${provider.kind} are not implemented yet`);
  }
}
