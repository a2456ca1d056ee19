// `import 'lectern-widget/react'`: the elements in JSX of React.
import type { LecternJsx } from './index.js'

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements extends LecternJsx {}
  }
}
