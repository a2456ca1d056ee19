/** Scripts import style sheets as bundled text, which shadow roots adopt. */
declare module '*.css' {
  const text: string
  export default text
}
