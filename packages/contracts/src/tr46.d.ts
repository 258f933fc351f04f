declare module 'tr46' {
  /** UTS #46 processing (https://unicode.org/reports/tr46/). `null` on failure. */
  export function toASCII(
    domain: string,
    options?: {
      checkBidi?: boolean;
      checkHyphens?: boolean;
      checkJoiners?: boolean;
      useSTD3ASCIIRules?: boolean;
      verifyDNSLength?: boolean;
      transitionalProcessing?: boolean;
      ignoreInvalidPunycode?: boolean;
    },
  ): string | null;
}
