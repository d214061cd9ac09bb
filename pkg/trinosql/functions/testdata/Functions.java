import io.trino.FeaturesConfig;
import io.trino.client.NodeVersion;
import io.trino.metadata.FunctionBundle;
import io.trino.metadata.SystemFunctionBundle;
import io.trino.spi.function.*;
import io.trino.spi.type.*;
import io.trino.type.BlockTypeOperators;
import java.util.*;

/** Prints the functions and operators of a Trino, one signature on a line; doc.go of the package says what a line means. */
public class Functions {
    static final Set<String> OPERATORS = Set.of("ADD", "SUBTRACT", "MULTIPLY", "DIVIDE", "MODULUS", "NEGATION", "EQUAL", "LESS_THAN",
            "LESS_THAN_OR_EQUAL", "IS_DISTINCT_FROM", "SUBSCRIPT", "CAST");

    public static void main(String[] args) {
        TypeOperators operators = new TypeOperators();
        FunctionBundle bundle = SystemFunctionBundle.create(new FeaturesConfig(), operators, new BlockTypeOperators(operators), new NodeVersion("x"));
        // By kind and name; the signatures of one name stay in the order in which Trino tries them.
        Map<String, Set<String>> lines = new TreeMap<>();
        Map<String, Map<String, String>> described = new TreeMap<>();
        for (FunctionMetadata f : bundle.getFunctions()) {
            String name = f.getCanonicalName();
            char kind = f.getKind().name().charAt(0);
            if (name.startsWith("$operator$")) {
                name = name.substring("$operator$".length());
                kind = 'O';
                if (!OPERATORS.contains(name)) {
                    continue;
                }
            }
            else if (name.startsWith("$")) {
                continue;
            }
            StringBuilder b = new StringBuilder().append(kind).append(' ').append(name);
            for (String alias : new TreeSet<>(f.getNames())) {
                if (!alias.equals(f.getCanonicalName())) {
                    b.append('|').append(alias);
                }
            }
            b.append('(');
            Signature s = f.getSignature();
            List<Boolean> nulls = f.getFunctionNullability().getArgumentNullable();
            for (int i = 0; i < s.getArgumentTypes().size(); i++) {
                b.append(i > 0 ? ", " : "").append(s.getArgumentTypes().get(i)).append(nulls.get(i) ? "?" : "");
            }
            b.append(s.isVariableArity() ? "...) " : ") ").append(s.getReturnType()).append(f.getFunctionNullability().isReturnNullable() ? "?" : "");
            List<String> rules = new ArrayList<>();
            for (TypeVariableConstraint c : s.getTypeVariableConstraints()) {
                rules.add(c.toString());
            }
            for (LongVariableConstraint c : s.getLongVariableConstraints()) {
                rules.add(c.getName() + " = " + c.getExpression());
            }
            b.append(rules.isEmpty() ? "" : " | " + String.join("; ", rules));
            b.append(f.isHidden() && kind != 'O' ? " #hidden" : "").append(f.isDeterministic() ? "" : " #nondeterministic").append(f.isDeprecated() ? " #deprecated" : "");
            lines.computeIfAbsent(kind + name, k -> new LinkedHashSet<>()).add(b.toString());
            if (kind != 'O' && !f.isHidden()) {
                String types = s.getArgumentTypes().toString();
                described.computeIfAbsent(name, k -> new TreeMap<>()).put("(" + types.substring(1, types.length() - 1) + ")", f.getDescription());
            }
        }
        lines.values().forEach(l -> l.forEach(System.out::println));
        // What is said of all signatures of a name is printed once.
        described.forEach((name, texts) -> {
            boolean same = new HashSet<>(texts.values()).size() == 1;
            texts.forEach((types, text) -> {
                if (!text.isEmpty() && (!same || types.equals(texts.keySet().iterator().next()))) {
                    System.out.println("D " + name + (same ? "" : types) + " = " + text.replace('\n', ' '));
                }
            });
        });
    }
}
