/** Where a text comes from. A hint: all rules look everywhere, and only the treatment of cut windows depends on it. */
export type Surface = 'url' | 'a11y' | 'log' | 'json' | 'header' | 'html' | 'error' | 'magnet' | 'text';

/** One kind of secret, with lines that prove the rule. A test walks the table: a rule without examples, or one that is not needed, fails. */
export interface RedactionRule {
  /** Counted in `redactions`, named in audit lines. Stable. */
  readonly id: string;
  /** Where such secrets come from, so that the rule can be judged in five years. */
  readonly why: string;
  /** Where such secrets are met. */
  readonly surfaces: readonly Surface[];
  /** Must lose `s3cr3t…` and `5ec2e7…` completely, and keep them when this rule alone is off. */
  readonly leaks: readonly string[];
  /** Must come out unchanged. */
  readonly keeps: readonly string[];
}
